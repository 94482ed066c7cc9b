#include "survey/collecting/counting/counted_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "model/measurement.h"
#include "survey/collecting/raw_devices.h"

namespace warptune::survey::collecting::counting {

using records::CountedGraph;
using records::Index;
using records::Survey;

namespace {

// The survey's GPU with this number. If numbers are unknown and there is one GPU only, it is that one.
std::optional<Index> device_with(const Survey& survey, const RawCounted& record) {
  for (const bool is_mig : {false, true}) {
    const std::string uuid = uuid_text(record.uuid, is_mig);
    for (std::size_t i = 0; i < survey.devices.size() && !uuid.empty(); ++i) {
      if (survey.devices[i].uuid == uuid) return static_cast<Index>(i);
    }
  }
  return survey.devices.size() == 1 ? std::optional<Index>(0) : std::nullopt;
}

model::Counters known_values(const model::Counters& counters) {
  model::Counters known;
  for (const auto& [name, value] : counters) {
    if (std::isfinite(value)) known.emplace(name, value);
  }
  return known;
}

// The counters of a launch. They are absent if its image has none, and `problem` says so if it cannot be
// read.
std::optional<model::Counters> counters_of(const CountedInput& input, const RawCountedLaunch& launch,
                                           std::string& problem) {
  if (launch.record.config >= input.plan.configs.size()) return std::nullopt;
  std::vector<model::Counters> ranges;
  try {
    ranges = input.evaluate(input.plan.configs[launch.record.config], launch.image);
  } catch (const base::MachineError& error) {  // The other launches keep their counters.
    problem = fmt::format("The counters of a launch could not be read: {}.", error.what());
  }
  return ranges.size() == 1 ? std::optional(known_values(ranges.front())) : std::nullopt;
}

std::optional<CountedGraph> described_graph(const CountedInput& input, const RawProcess& process,
                                            std::uint32_t number) {
  const auto found = std::find_if(process.counted_graphs.begin(), process.counted_graphs.end(),
                                  [&](const RawCountedGraph& graph) { return graph.number == number; });
  if (found == process.counted_graphs.end()) return std::nullopt;
  CountedGraph graph;
  graph.kernel_nodes = found->kernel_nodes;
  graph.other_nodes = found->other_nodes;
  for (std::size_t i = 0; i < input.shapes.size(); ++i) {
    if (found->nodes[i] > 0) graph.parts.push_back({input.shapes[i], found->nodes[i]});
  }
  return graph;
}

void add_to_graphs(CountedGraph graph, Index device, model::Counters counters,
                   std::vector<CountedGraph>& graphs) {
  graph.device = device;
  const auto contents = [](const CountedGraph& one) {
    return std::tie(one.device, one.kernel_nodes, one.other_nodes, one.parts);
  };
  auto same = std::find_if(graphs.begin(), graphs.end(),
                           [&](const CountedGraph& known) { return contents(known) == contents(graph); });
  if (same == graphs.end()) same = graphs.insert(graphs.end(), std::move(graph));
  same->launches.push_back(std::move(counters));
}

// The place of a graph's first kernel among those of the plan.
std::ptrdiff_t first_place(const CountedGraph& graph, const std::vector<Index>& shapes) {
  const Index first = graph.parts.empty() ? records::kNone : graph.parts.front().shape;
  return std::find(shapes.begin(), shapes.end(), first) - shapes.begin();
}

}  // namespace

CountedRecords counted_records(const CountedInput& input, const std::vector<RawProcess>& processes) {
  CountedRecords counted;
  bool lacks_patched = false;
  std::map<std::pair<std::uint32_t, Index>, std::vector<model::Counters>> kernels;
  for (const RawProcess& process : processes) {
    for (const RawCountedLaunch& launch : process.counted) {
      const std::optional<Index> device = device_with(input.survey, launch.record);
      if (!device) continue;
      const std::uint32_t number = launch.record.kernel;
      const bool is_kernel = number < input.shapes.size();
      std::optional<CountedGraph> graph;
      if (number >= kFirstGraph) graph = described_graph(input, process, number - kFirstGraph);
      if (!is_kernel && !graph) continue;
      std::optional<model::Counters> counters = counters_of(input, launch, counted.problem);
      if (!counters) continue;
      if (is_kernel) {
        kernels[{number, *device}].push_back(std::move(*counters));
        continue;
      }
      lacks_patched = model::drop_patched_counters(*counters) || lacks_patched;
      add_to_graphs(std::move(*graph), *device, std::move(*counters), counted.graphs);
    }
  }
  if (lacks_patched) {
    if (!counted.problem.empty()) counted.problem += ' ';
    counted.problem += "For CUDA graphs, metrics that need patched code (smsp__sass_...) are missing.";
  }
  for (auto& [key, launches] : kernels)
    counted.shapes.push_back({input.shapes[key.first], key.second, std::move(launches)});
  std::stable_sort(counted.graphs.begin(), counted.graphs.end(),
                   [&](const CountedGraph& one, const CountedGraph& other) {
                     return first_place(one, input.shapes) < first_place(other, input.shapes);
                   });
  return counted;
}

}  // namespace warptune::survey::collecting::counting
