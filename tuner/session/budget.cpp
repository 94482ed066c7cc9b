#include "tuner/session/budget.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "model/value.h"

namespace warptune::tuner::session {

namespace {

constexpr int kLongestHours = 8760;

std::optional<double> positive_number(std::string_view text) {
  const model::Value value = model::parse_value(text);
  if (std::holds_alternative<std::string>(value) || std::holds_alternative<bool>(value)) return std::nullopt;
  const std::optional<double> number = model::to_number(value);
  return number && *number > 0.0 ? number : std::nullopt;
}

// Removes an ending. Returns std::nullopt when the text does not end with it.
std::optional<std::string_view> without_ending(std::string_view text, std::string_view ending) {
  if (text.size() < ending.size() || text.substr(text.size() - ending.size()) != ending) return std::nullopt;
  return text.substr(0, text.size() - ending.size());
}

// The seconds of a time such as `60s`, `1.5h` or `1h30m20s`: hours, minutes and seconds in this order, each
// at most once. Returns std::nullopt for any other text.
std::optional<double> seconds_of(std::string_view text) {
  constexpr std::pair<char, double> kUnits[] = {{'h', 3600.0}, {'m', 60.0}, {'s', 1.0}};
  double seconds = 0.0;
  for (const auto& [unit, scale] : kUnits) {
    const std::size_t end = text.find(unit);
    if (end == std::string_view::npos) continue;
    const std::optional<double> number = positive_number(text.substr(0, end));
    if (!number) return std::nullopt;
    seconds += *number * scale;
    text.remove_prefix(end + 1);
  }
  return text.empty() && seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

Budget Budget::parse(std::string_view text) {
  Budget budget;
  budget.text = text;
  if (text == "all") return budget;
  const auto fail = [&] {
    return base::InputError(fmt::format(
        "--budget {}: expected a number of evaluations (200), a time (60s, 5m, 1h30m) or all", text));
  };
  if (text.empty()) throw fail();
  budget.seconds = seconds_of(text);
  if (budget.seconds > kLongestHours * 3600.0)
    throw base::InputError(
        fmt::format("--budget {}: expected at most {} hours (one year)", text, kLongestHours));
  if (budget.seconds) return budget;
  const model::Value value = model::parse_value(text);
  if (!positive_number(text) || !std::holds_alternative<std::int64_t>(value)) throw fail();
  budget.evaluations = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
  return budget;
}

Goal Goal::parse(std::string_view text) {
  constexpr double kMaxRoofShare = 2.0;
  constexpr double kPerCent = 100.0;
  Goal goal;
  goal.text = text;
  if (const auto share = without_ending(text, "roof")) {
    goal.roof_share = positive_number(*share);
    if (goal.roof_share && *goal.roof_share <= kMaxRoofShare) return goal;
  } else if (const auto per_cent = without_ending(text, "%")) {
    goal.gain_share = positive_number(*per_cent);
    if (goal.gain_share && *goal.gain_share < kPerCent) {
      *goal.gain_share /= kPerCent;
      return goal;
    }
  }
  throw base::InputError(fmt::format(
      "--until {}: expected a share of the roof (0.9roof, at most 2roof) or what more evaluations "
      "may gain (0.3%, below 100%)",
      text));
}

}  // namespace warptune::tuner::session
