// What the functions of the C interface do with their arguments.
#pragma once

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::library {

/// The object of an opaque pointer. Throws `base::InputError` for null.
template <class Class, class Opaque>
Class& object(Opaque* pointer) {
  if (pointer == nullptr) throw base::InputError("expected an object, found null");
  return *reinterpret_cast<Class*>(pointer);
}

/// The place of a result. Throws `base::InputError` for null.
template <class T>
T& place(T* pointer) {
  if (pointer == nullptr) throw base::InputError("expected a place for the result, found null");
  return *pointer;
}

/// A text. Throws `base::InputError` for null.
inline const char* text(const char* given, const char* what) {
  if (given == nullptr) throw base::InputError(fmt::format("expected {}, found null", what));
  return given;
}

}  // namespace warptune::library
