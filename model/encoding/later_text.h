#pragma once

#include <string>

#include "model/fields.h"

namespace warptune::model::encoding {

/// A text that a struct got after its first version: files leave it out if it is empty, and earlier files do
/// not have it. `visit` receives it in this wrapper.
template <MaybeConst<std::string> Text>
struct LaterText {
  Text& text;
};
template <MaybeConst<std::string> Text>
LaterText<Text> as_later(Text& text) {
  return {text};
}

/// Whether `T` is a `LaterText`.
template <class T>
inline constexpr bool kIsLater = false;
template <class Text>
inline constexpr bool kIsLater<LaterText<Text>> = true;

}  // namespace warptune::model::encoding
