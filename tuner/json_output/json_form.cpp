#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

ordered_json json_head(std::string_view name) {
  return {{"format", "warptune-" + std::string(name)}, {"version", kJsonVersion}};
}

std::string to_text(const ordered_json& output) {
  return output.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::string to_line(const ordered_json& output) {
  return output.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json finite_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : ordered_json(nullptr);
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

}  // namespace warptune::tuner::json_output
