#include "tuner/text_output/surveys/host_tables.h"

#include <algorithm>
#include <cstddef>

#include "tuner/text_output/surveys/report_words.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::SurveyAnalysis;
using survey::analysis::summaries::CallGroup;
using survey::analysis::summaries::MarkedRanges;
using survey::records::Survey;

constexpr std::size_t kHostNameWidth = 36;  // The tables fit into 100 columns.

}  // namespace

std::string calls_table(const Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.calls.empty()) return "";
  TextTable table({"purpose", "calls", "time", "median", "longest", "call"}, {1, 2, 3, 4});
  for (std::size_t i = 0; i < std::min(kTableRows, analysis.calls.size()); ++i) {
    const CallGroup& group = analysis.calls[i];
    table.add({std::string(to_string(group.kind)), std::to_string(group.count),
               survey_time_text(group.time.total), survey_time_text(group.time.median),
               survey_time_text(group.time.maximum), cut_name(survey.names[group.name], kHostNameWidth)});
  }
  return "\nCalls of CUDA (time of the host's threads)\n" + table.text() +
         more_rows_text(analysis.calls.size(), "more function", "more functions");
}

std::string ranges_table(const Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.ranges.empty()) return "";
  TextTable table({"ranges", "time", "median", "longest", "GPU busy", "launches", "GPU work", "range"},
                  {0, 1, 2, 3, 4, 5, 6});
  for (std::size_t i = 0; i < std::min(kTableRows, analysis.ranges.size()); ++i) {
    const MarkedRanges& ranges = analysis.ranges[i];
    table.add({std::to_string(ranges.count), survey_time_text(ranges.time.total),
               survey_time_text(ranges.time.median), survey_time_text(ranges.time.maximum),
               ranges.open > 0 ? survey_percent(share_of(ranges.busy, ranges.open)) : "-",
               std::to_string(ranges.launches), survey_time_text(ranges.work_duration),
               cut_name(survey.names[ranges.name], kHostNameWidth)});
  }
  return "\nNVTX ranges (GPU busy: while a range was open; launches and GPU work: given within it)\n" +
         table.text() + more_rows_text(analysis.ranges.size(), "more name", "more names");
}

}  // namespace warptune::tuner::text_output::surveys
