// The hardware counters of a survey as text for people.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "survey/analysis/counted_graphs.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::text_output::surveys {

/// The metrics that matter of each counted kernel or graph, its place under the roofs, and the findings of
/// the rules with their evidence. A note says what could not be counted. Empty if no counters were asked for.
std::string counters_report(const survey::records::Survey& survey,
                            const survey::analysis::SurveyAnalysis& analysis);

/// The metrics of the core set, each with its title and value: `DRAM traffic 134 MB`. If none of them was
/// counted, those that were, at most 20.
std::vector<std::string> metric_texts(const model::Counters& counters);
/// What a kernel or graph reaches under the roofs by theory, and what the run would gain if it were at its
/// roof.
std::vector<std::string> roofline_texts(const survey::analysis::RooflinePoint& point,
                                        const std::optional<double>& bound_at_roof);
/// The nodes of a graph: `10 nodes: 4 of add, 2 of copy, 1 of other kernels, 3 that are not kernels`.
std::string graph_nodes_text(const survey::records::Survey& survey,
                             const survey::analysis::CountedGraph& graph);

/// The grid or the block of a launch: `128x4`.
std::string sizes_text(const std::array<std::uint32_t, 3>& sizes);

}  // namespace warptune::tuner::text_output::surveys
