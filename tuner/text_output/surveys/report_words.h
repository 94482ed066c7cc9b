// Words that the parts of a survey's text share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "survey/analysis/survey_analysis.h"

namespace warptune::tuner::text_output::surveys {

/// The most rows that a table of a survey has.
inline constexpr std::size_t kTableRows = 10;

/// A duration in nanoseconds with a suitable unit: `12.3 us`.
std::string survey_time_text(std::int64_t duration);
/// A share, 0 to 1, as a percentage without digits after the point: `12 %`.
std::string survey_percent(double share);
/// `part` of `whole`, which is 0 if there is no whole.
double share_of(std::int64_t part, std::int64_t whole);
/// A cause of idle time: `the host waited for the GPU`.
std::string_view idle_cause_text(survey::analysis::IdleCause cause);
/// The line below a table that leaves rows out: `3 more kernels`. Empty if the table has all rows.
std::string more_rows_text(std::size_t all, std::string_view one, std::string_view several = {});
/// The first characters of a name of the program, with `...` where it was cut. It is one line.
std::string cut_name(const std::string& name, std::size_t width);

}  // namespace warptune::tuner::text_output::surveys
