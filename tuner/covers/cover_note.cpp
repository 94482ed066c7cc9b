#include "tuner/covers/cover_note.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.h"
#include "model/outputs/reproducibility.h"

namespace warptune::tuner::covers {

namespace {

constexpr std::string_view kAtMost = " at most ";
constexpr std::string_view kDemand = " reproducible=";

bool is_demand(const std::string& text) {
  try {
    model::outputs::Reproducibility::parse(text);
    return !text.empty();
  } catch (const base::InputError&) {
    return false;
  }
}

// Takes a number and what follows it from the beginning of a text.
std::optional<double> take_number(std::string_view& text) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view token) {
  if (text.substr(0, token.size()) != token) return false;
  text.remove_prefix(token.size());
  return true;
}

}  // namespace

std::string to_text(const CoverNote& note) {
  return fmt::format(
      "{}{}%{}{}{}{}: {}", kCoverNoteBegins, 100.0 * note.limit_share,
      note.max_configurations == 0 ? "" : fmt::format("{}{}", kAtMost, note.max_configurations),
      note.weight == 1.0 ? "" : fmt::format(" weight {}", note.weight), note.held_back ? " held back" : "",
      note.reproducible.empty() ? "" : fmt::format("{}{}", kDemand, note.reproducible), note.range);
}

std::optional<CoverNote> note_of(std::string_view budget) {
  const std::size_t begin = budget.find(kCoverNoteBegins);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view text = budget.substr(begin + kCoverNoteBegins.size());
  CoverNote note;
  const std::optional<double> per_cent = take_number(text);
  if (!per_cent || !take(text, "%")) return std::nullopt;
  note.limit_share = *per_cent / 100.0;
  if (take(text, kAtMost)) {
    const std::optional<double> count = take_number(text);
    if (!count || *count != std::floor(*count) || *count < 1.0 || *count > kMaxCoverConfigurations)
      return std::nullopt;
    note.max_configurations = static_cast<std::size_t>(*count);
  }
  if (take(text, " weight ")) {
    const std::optional<double> weight = take_number(text);
    if (!weight || !(*weight > 0.0)) return std::nullopt;
    note.weight = *weight;
  }
  note.held_back = take(text, " held back");
  if (take(text, kDemand)) {
    note.reproducible = std::string(text.substr(0, text.find(": ")));
    text.remove_prefix(note.reproducible.size());
    if (!is_demand(note.reproducible)) return std::nullopt;  // A later version may know more demands.
  }
  if (!take(text, ": ")) return std::nullopt;
  note.range = std::string(text);
  return note;
}

}  // namespace warptune::tuner::covers
