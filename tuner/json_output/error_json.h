#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace warptune::tuner::json_output {

/// An error as the member of an output: `kind`, `message`, `place` and `exit_code`.
nlohmann::ordered_json error_object(const base::Error& error);

/// The output of a command that ends with an error and has no other output.
nlohmann::ordered_json error_json(const base::Error& error);
/// The same for an interrupted command, whose `kind` is `interrupted`.
nlohmann::ordered_json interruption_json(const std::string& message);

}  // namespace warptune::tuner::json_output
