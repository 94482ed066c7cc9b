#include "fleet/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "model/median.h"

namespace warptune::fleet {

namespace {

constexpr std::size_t kMinNodes = 3;  // With two there is no way to say which one is unusual.

// How far a roof of a healthy GPU may be from the median of its model. Each is twice the range that was
// measured over several machines with GPUs of one model (docs/fleet.md, "Suspect nodes").
constexpr std::array<std::pair<std::string_view, double>, 5> kSpreads{
    {{"copy", 0.02}, {"read", 0.05}, {"fp32", 0.02}, {"fp64", 0.03}, {"tensor", 0.02}}};

// What one node has measured of one roof.
struct Reading {
  const NodeRecord* node = nullptr;
  const NodeGpu* gpu = nullptr;
  double value = 0.0;
};

std::optional<double> roof_of(const NodeGpu& gpu, std::string_view name) {
  for (const model::RoofReading& reading : gpu.roofs)
    if (reading.name == name && std::isfinite(reading.value) && reading.value > 0.0) return reading.value;
  return std::nullopt;
}

// The readings of each GPU model.
std::map<std::string, std::vector<Reading>> readings_of(const std::vector<NodeRecord>& nodes,
                                                        std::string_view name) {
  std::map<std::string, std::vector<Reading>> by_model;
  for (const NodeRecord& node : nodes) {
    for (const NodeGpu& gpu : node.node.gpus) {
      if (const std::optional<double> value = roof_of(gpu, name))
        by_model[gpu.gpu.key()].push_back({&node, &gpu, *value});
    }
  }
  return by_model;
}

bool has_enough_nodes(const std::vector<Reading>& readings) {
  std::vector<const NodeRecord*> nodes;
  for (const Reading& reading : readings)
    if (std::find(nodes.begin(), nodes.end(), reading.node) == nodes.end()) nodes.push_back(reading.node);
  return nodes.size() >= kMinNodes;
}

}  // namespace

std::map<std::string, std::string> suspect_nodes(const std::vector<NodeRecord>& nodes) {
  std::map<std::string, std::string> suspects;
  for (const auto& [roof, spread] : kSpreads) {
    for (const auto& [key, readings] : readings_of(nodes, roof)) {
      if (!has_enough_nodes(readings)) continue;
      std::vector<double> values;
      for (const Reading& reading : readings) values.push_back(reading.value);
      const double median = model::median_of(values);
      for (const Reading& reading : readings) {
        const double deviation = reading.value / median - 1.0;
        if (reading.node->accepted || std::abs(deviation) <= spread) continue;
        suspects.emplace(reading.node->node.id,
                         fmt::format("the {} roof of its {} is {:.1f} % {} the median of {} of this model; "
                                     "up to {:.0f} % is usual",
                                     roof, reading.gpu->gpu.name, std::abs(deviation) * 100.0,
                                     deviation < 0.0 ? "below" : "above", readings.size(), spread * 100.0));
      }
    }
  }
  return suspects;
}

}  // namespace warptune::fleet
