#include "tuner/json_output/error_json.h"

#include <string_view>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

ordered_json members(std::string_view kind, const std::string& message, const ordered_json& place,
                     base::ExitCode code) {
  return {{"kind", kind}, {"message", message}, {"place", place}, {"exit_code", static_cast<int>(code)}};
}

ordered_json with_head(const ordered_json& error) {
  ordered_json output = json_head("error");
  output["error"] = error;
  return output;
}

}  // namespace

ordered_json error_object(const base::Error& error) {
  const auto* const input = dynamic_cast<const base::InputError*>(&error);
  return members(base::to_string(error.kind()), error.message(),
                 input == nullptr ? ordered_json(nullptr) : place_json(input->position()), error.exit_code());
}

ordered_json error_json(const base::Error& error) { return with_head(error_object(error)); }

ordered_json interruption_json(const std::string& message) {
  return with_head(members("interrupted", message, nullptr, base::ExitCode::kInterrupted));
}

}  // namespace warptune::tuner::json_output
