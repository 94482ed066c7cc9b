#include "tuner/text_output/surveys/counters_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "profiling/counters/metrics.h"
#include "profiling/counters/planned_counting.h"
#include "survey/analysis/counted_graphs.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/diagnosis_report.h"
#include "tuner/text_output/measurement_text.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using profiling::counters::MetricInfo;
using survey::analysis::CountedGraph;
using survey::analysis::CountedKernel;
using survey::analysis::RooflinePoint;
using survey::records::Survey;

constexpr std::size_t kWidthOfName = 60;
constexpr std::size_t kMaxMetrics = 20;  // Further ones are only in JSON.

std::string rate(std::string_view unit, double value) { return format_counter(unit, value); }

std::string of_roof(double value, const std::optional<double>& roof, std::string_view unit) {
  if (!roof || *roof <= 0.0) return rate(unit, value);
  return fmt::format("{} of {} ({:.0f} %)", rate(unit, value), rate(unit, *roof), 100.0 * value / *roof);
}

std::string parts_text(std::string_view title, const std::vector<std::string>& parts) {
  return parts.empty() ? "" : fmt::format("      {}{}\n", title, fmt::join(parts, "; "));
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    result += "    " + text.substr(at, end + 1 - at);
    at = end + 1;
  }
  return result;
}

std::string counted_launches_text(std::int64_t launches) {
  return base::counted(static_cast<std::uint64_t>(launches), "counted launch", "counted launches");
}

std::string kernel_text(const Survey& survey, const CountedKernel& kernel) {
  const survey::records::KernelShape& shape = survey.shapes[kernel.shape];
  std::string text = fmt::format("{:>4.0f} %  {}\n", 100.0 * kernel.share,
                                 survey::analysis::short_kernel_name(survey.names[shape.name], kWidthOfName));
  text += fmt::format(
      "      grid {}, block {}; {} in the survey{}; {}\n", sizes_text(shape.grid), sizes_text(shape.block),
      kernel.time_ns > 0.0 ? base::format_time_ns(kernel.time_ns) : "no time",
      kernel.counted_ns ? fmt::format(", {} when counted", base::format_time_ns(*kernel.counted_ns)) : "",
      counted_launches_text(kernel.launches));
  if (kernel.graph_nodes > 0)
    text += fmt::format("      counted in whole launches of a CUDA graph: values are means of its {}\n",
                        base::counted(static_cast<std::uint64_t>(kernel.graph_nodes), "node"));
  text += parts_text("", metric_texts(kernel.counters)) +
          parts_text("roofs by theory: ", roofline_texts(kernel.roofline, kernel.bound_at_roof));
  profiling::diagnosis::Diagnosis diagnosis = kernel.diagnosis;
  diagnosis.unchecked.clear();
  return text + indented(diagnosis_text(diagnosis));
}

std::string graph_text(const Survey& survey, const CountedGraph& graph) {
  std::string text = fmt::format("  {}\n      {} in the survey; {}\n", graph_nodes_text(survey, graph),
                                 graph.time_ns ? base::format_time_ns(*graph.time_ns) : "no time",
                                 counted_launches_text(graph.launches));
  return text + parts_text("", metric_texts(graph.counters)) +
         parts_text("roofs by theory: ", roofline_texts(graph.roofline, std::nullopt));
}

// Rules whose counters were not read. Those that need the kernel's work are left out: a survey never has it.
std::string unchecked_text(const std::vector<CountedKernel>& kernels) {
  std::set<std::string> rules;
  for (const CountedKernel& kernel : kernels) {
    for (const profiling::diagnosis::UncheckedRule& rule : kernel.diagnosis.unchecked) {
      // `--metrics full` does not help for the nodes of a graph.
      if (kernel.graph_nodes == 0 &&
          std::any_of(rule.metrics.begin(), rule.metrics.end(),
                      [](const std::string& metric) { return metric.find("__") != std::string::npos; }))
        rules.insert(rule.rule);
    }
  }
  if (rules.empty()) return "";
  return fmt::format("  Not checked, because counters are missing (--metrics full reads more): {}\n",
                     fmt::join(rules, ", "));
}

}  // namespace

std::vector<std::string> roofline_texts(const RooflinePoint& point,
                                        const std::optional<double>& bound_at_roof) {
  std::vector<std::string> parts;
  if (point.bytes_per_s)
    parts.push_back("device memory " + of_roof(*point.bytes_per_s, point.roof_bytes_per_s, "byte/s"));
  if (point.flops_per_s.value_or(0.0) > 0.0) {
    parts.push_back("arithmetic " + of_roof(*point.flops_per_s, point.roof_flops_per_s, "FLOP/s"));
    if (point.flops_per_byte) parts.push_back(fmt::format("{:.2f} FLOP per byte", *point.flops_per_byte));
  }
  if (bound_at_roof)
    parts.push_back(fmt::format("at its roof, the run is up to {:.2f}x as fast", *bound_at_roof));
  return parts;
}

std::vector<std::string> metric_texts(const model::Counters& counters) {
  std::vector<std::string> core;
  std::vector<std::string> others;
  for (const MetricInfo& metric : profiling::counters::metric_catalogue()) {
    const auto found = counters.find(std::string(metric.name));
    if (found == counters.end() || metric.name == profiling::counters::kDurationMetric) continue;
    (metric.core ? core : others)
        .push_back(fmt::format("{} {}", metric.title, format_counter(metric.unit, found->second)));
  }
  core.insert(core.end(), others.begin(), others.end());
  const std::size_t further = core.size() - std::min(core.size(), kMaxMetrics);
  if (further > 0) {
    core.resize(kMaxMetrics);
    core.push_back(fmt::format("and {} more in JSON", further));
  }
  return core;
}

std::string graph_nodes_text(const Survey& survey, const CountedGraph& graph) {
  std::vector<std::string> nodes;
  std::int64_t others = graph.kernel_nodes;
  for (const survey::records::GraphPart& part : graph.parts) {
    others -= part.nodes;
    nodes.push_back(fmt::format(
        "{} of {}", part.nodes,
        survey::analysis::short_kernel_name(survey.names[survey.shapes[part.shape].name], kWidthOfName)));
  }
  if (others > 0) nodes.push_back(fmt::format("{} of other kernels", others));
  if (graph.other_nodes > 0) nodes.push_back(fmt::format("{} that are not kernels", graph.other_nodes));
  return fmt::format(
      "{}: {}", base::counted(static_cast<std::uint64_t>(graph.kernel_nodes + graph.other_nodes), "node"),
      fmt::join(nodes, ", "));
}

std::string sizes_text(const std::array<std::uint32_t, 3>& sizes) {
  if (sizes[2] > 1) return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
  return sizes[1] > 1 ? fmt::format("{}x{}", sizes[0], sizes[1]) : fmt::format("{}", sizes[0]);
}

std::string counters_report(const Survey& survey, const survey::analysis::SurveyAnalysis& analysis) {
  std::string text;
  if (!survey.run.counting_problem.empty())
    text += fmt::format("\nnote on counters: {}\n", base::printable_line(survey.run.counting_problem));
  const std::vector<CountedKernel> kernels = survey::analysis::counted_kernels(survey, analysis.kernels);
  if (!kernels.empty())
    text += "\nHardware counters of the kernels with most time (first launches of a second run)\n";
  for (const CountedKernel& kernel : kernels) text += kernel_text(survey, kernel);
  text += unchecked_text(kernels);
  const std::vector<CountedGraph> graphs = survey::analysis::counted_graphs(survey);
  if (!graphs.empty())
    text +=
        "\nHardware counters of CUDA graphs with such kernels (launches of a second run, one for each "
        "pass)\n";
  for (const CountedGraph& graph : graphs) text += graph_text(survey, graph);
  return text;
}

}  // namespace warptune::tuner::text_output::surveys
