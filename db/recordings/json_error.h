#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace warptune::db::recordings {

/// An error of the JSON library, as users see it.
struct JsonErrorText {
  std::string text;  ///< Without the library's codes, at most about 200 bytes.
  int line = 0;      ///< Counted from 1 within the parsed text; 0 if the error has no position.
  int column = 0;
};

/// Turns an exception of the JSON library into text for users.
JsonErrorText describe_error(const nlohmann::json::exception& error);

/// Throws `base::InputError`, which says why a text is not valid JSON and where in its file. `position` is
/// the place in the file where the text begins (lines count from 1). The thrown error has the file's line and
/// the column at which the JSON is invalid.
[[noreturn]] void refuse_json(const nlohmann::json::exception& error, base::SourcePosition position);

}  // namespace warptune::db::recordings
