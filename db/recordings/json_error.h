#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace warptune::db::recordings {

/// What the JSON library complains of, for people.
struct JsonComplaint {
  std::string text;  ///< Without the library's codes, at most some 200 bytes.
  int line = 0;      ///< From 1, within the text that was parsed; 0 where it is not of a place.
  int column = 0;
};

/// The one place where the library's exceptions become text.
JsonComplaint complaint_of(const nlohmann::json::exception& error);

/// Throws the `base::InputError` for a text that is no JSON. `position` says where the text begins in its
/// file, from line 1; the complaint's line and column are added.
[[noreturn]] void refuse_json(const nlohmann::json::exception& error, base::SourcePosition position);

}  // namespace warptune::db::recordings
