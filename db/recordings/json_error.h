#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace warptune::db::recordings {

/// An error of the JSON library, in words for users.
struct JsonErrorText {
  std::string text;  ///< Without the library's codes, at most about 200 bytes.
  int line = 0;      ///< Counted from 1 within the parsed text; 0 if the error has no position.
  int column = 0;
};

/// Turns an exception of the JSON library into text. All such texts are made here.
JsonErrorText describe_error(const nlohmann::json::exception& error);

/// Throws `base::InputError` for a text that is not valid JSON. `position` is where the text begins in its
/// file, with lines from 1. The error's line and column are added to it.
[[noreturn]] void refuse_json(const nlohmann::json::exception& error, base::SourcePosition position);

}  // namespace warptune::db::recordings
