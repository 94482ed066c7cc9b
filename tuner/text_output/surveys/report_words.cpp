#include "tuner/text_output/surveys/report_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warptune::tuner::text_output::surveys {

using survey::analysis::IdleCause;

std::string survey_time_text(std::int64_t duration) {
  return base::format_time_ns(static_cast<double>(duration));
}

std::string survey_percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string_view idle_cause_text(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHost:
      return "the host worked on something else";
    case IdleCause::kLaunching:
      return "launching";
    case IdleCause::kWaiting:
      return "the host waited for the GPU";
    case IdleCause::kCopying:
      return "within calls that copy";
    case IdleCause::kAllocating:
      return "allocating or freeing memory";
    case IdleCause::kLoading:
      return "loading device code";
  }
  return "";
}

std::string more_rows_text(std::size_t all, std::string_view one, std::string_view several) {
  if (all <= kTableRows) return "";
  return base::counted(all - kTableRows, one, several) + "\n";
}

std::string cut_name(const std::string& name, std::size_t width) {
  constexpr std::string_view kDots = "...";
  std::string line = base::printable_line(name);
  if (line.size() <= width) return line;
  std::size_t end = 0;
  for (std::size_t next = 0; next + kDots.size() <= width;) {
    end = next;
    next += std::max<std::size_t>(1, base::printable_size(std::string_view(line).substr(next)));
  }
  return line.substr(0, end).append(kDots);
}

}  // namespace warptune::tuner::text_output::surveys
