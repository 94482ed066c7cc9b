#include "tuner/budget.h"

#include <fmt/format.h>

#include "base/error.h"
#include "search/value.h"

namespace warptune::tuner {

Budget Budget::parse(std::string_view text) {
  Budget budget;
  budget.text = text;
  if (text == "all") return budget;
  const auto fail = [&] {
    return base::InputError(fmt::format(
        "--budget {}: expected a number of evaluations (200), a time (60s, 5m, 1h) or all", text));
  };
  if (text.empty()) throw fail();
  const char unit = text.back();
  const double scale = unit == 's' ? 1.0 : unit == 'm' ? 60.0 : unit == 'h' ? 3600.0 : 0.0;
  const search::Value value = search::parse_value(scale > 0.0 ? text.substr(0, text.size() - 1) : text);
  const std::optional<double> number =
      std::holds_alternative<std::string>(value) ? std::nullopt : search::to_number(value);
  if (!number || std::holds_alternative<bool>(value) || !(*number > 0.0)) throw fail();
  if (scale > 0.0) {
    budget.seconds = *number * scale;
  } else if (std::holds_alternative<std::int64_t>(value)) {
    budget.evaluations = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
  } else {
    throw fail();
  }
  return budget;
}

}  // namespace warptune::tuner
