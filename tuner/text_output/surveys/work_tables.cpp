#include "tuner/text_output/surveys/work_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/surveys/report_words.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::CopyGroup;
using survey::analysis::SurveyAnalysis;
using survey::analysis::summaries::FillGroup;
using survey::analysis::summaries::GraphLaunches;

std::string transfer_rate(const std::optional<double>& bytes_per_s) {
  return bytes_per_s ? format_counter("byte/s", *bytes_per_s) : "-";
}

std::string transferred(std::uint64_t bytes) { return format_counter("byte", static_cast<double>(bytes)); }

}  // namespace

std::string copies_table(const SurveyAnalysis& analysis) {
  if (analysis.copies.empty()) return "";
  TextTable table({"copies", "from", "to", "call", "count", "bytes", "time", "rate", "of the link"},
                  {4, 5, 6, 7, 8});
  for (std::size_t i = 0; i < std::min(kTableRows, analysis.copies.size()); ++i) {
    const CopyGroup& group = analysis.copies[i];
    table.add({std::string(to_string(group.direction)), std::string(to_string(group.source)),
               std::string(to_string(group.destination)), group.asynchronous ? "async" : "sync",
               std::to_string(group.count), transferred(group.bytes), survey_time_text(group.duration),
               transfer_rate(group.bytes_per_s),
               group.host_link_share ? survey_percent(*group.host_link_share) : "-"});
  }
  std::string text =
      "\nCopies\n" + table.text() + more_rows_text(analysis.copies.size(), "more kind", "more kinds");
  if (analysis.host_link_bytes_per_s)
    return text + fmt::format("host link: {} in each direction {}\n",
                              format_counter("byte/s", *analysis.host_link_bytes_per_s),
                              analysis.host_link_is_measured ? "as measured by devices --measure-roofs"
                                                             : "by theory, if all 16 lanes are connected");
  return text + "the rate of the host link is unknown\n";
}

std::string fills_table(const SurveyAnalysis& analysis) {
  if (analysis.fills.empty()) return "";
  TextTable table({"fills of memory", "count", "bytes", "time", "rate"}, {1, 2, 3, 4});
  for (const FillGroup& group : analysis.fills)
    table.add({std::string(to_string(group.destination)), std::to_string(group.count),
               transferred(group.bytes), survey_time_text(group.duration), transfer_rate(group.bytes_per_s)});
  return "\nFills\n" + table.text();
}

std::string graphs_table(const survey::records::Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.graphs.empty()) return "";
  TextTable table({"process", "graph", "launches", "kernels", "copies", "fills", "GPU time"},
                  {0, 1, 2, 3, 4, 5, 6});
  for (std::size_t i = 0; i < std::min(kTableRows, analysis.graphs.size()); ++i) {
    const GraphLaunches& graph = analysis.graphs[i];
    table.add({std::to_string(survey.processes[graph.process].pid), std::to_string(graph.graph),
               graph.launches > 0 ? std::to_string(graph.launches) : "-", std::to_string(graph.kernels),
               std::to_string(graph.copies), std::to_string(graph.fills), survey_time_text(graph.duration)});
  }
  return "\nCUDA graphs (kernels, copies and fills of all launches together)\n" + table.text() +
         more_rows_text(analysis.graphs.size(), "more graph", "more graphs");
}

}  // namespace warptune::tuner::text_output::surveys
