#include "fleet/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "model/median.h"

namespace warptune::fleet {

namespace {

constexpr std::size_t kMinNodes = 3;  // With two there is no way to say which one is unusual.

// How far a roof of a healthy GPU may be from the median of its model. Each is twice the range that was
// measured over several machines with GPUs of one model (docs/fleet.md, "Suspect nodes").
constexpr std::array<std::pair<std::string_view, double>, 5> kSpreads{
    {{"copy", 0.02}, {"read", 0.05}, {"fp32", 0.02}, {"fp64", 0.03}, {"tensor", 0.08}}};

std::optional<double> roof_of(const NodeGpu& gpu, std::string_view name) {
  for (const model::RoofReading& reading : gpu.roofs)
    if (reading.name == name && std::isfinite(reading.value) && reading.value > 0.0) return reading.value;
  return std::nullopt;
}

bool has_roofs(const NodeGpu& gpu) {
  return std::any_of(kSpreads.begin(), kSpreads.end(),
                     [&](const auto& known) { return roof_of(gpu, known.first).has_value(); });
}

// What one node has measured of one roof of one model: the median of its GPUs.
struct Vote {
  const NodeRecord* node = nullptr;
  double value = 0.0;
};

// The votes of each GPU model. The node that was seen last comes first.
using Votes = std::map<std::string, std::vector<Vote>>;

Votes votes_on(const std::vector<NodeRecord>& nodes, std::string_view roof) {
  Votes votes;
  for (const NodeRecord& node : nodes) {
    std::map<std::string, std::vector<double>> of_node;
    for (const NodeGpu& gpu : node.node.gpus)
      if (const std::optional<double> value = roof_of(gpu, roof)) of_node[gpu.gpu.key()].push_back(*value);
    for (auto& [key, values] : of_node) votes[key].push_back({&node, *model::median_of(std::move(values))});
  }
  for (auto& [key, of_model] : votes) {
    std::stable_sort(of_model.begin(), of_model.end(),
                     [](const Vote& a, const Vote& b) { return a.node->seen_ms > b.node->seen_ms; });
  }
  return votes;
}

// How many of the votes count for a node: those of nodes that did not leave long before it.
std::size_t counted_votes(const std::vector<Vote>& votes, const NodeRecord& node) {
  const std::int64_t oldest = node.seen_ms - kComparedMs;
  const auto end = std::partition_point(votes.begin(), votes.end(),
                                        [&](const Vote& vote) { return vote.node->seen_ms >= oldest; });
  return static_cast<std::size_t>(end - votes.begin());
}

double median_of_first(const std::vector<Vote>& votes, std::size_t count) {
  std::vector<double> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(votes[i].value);
  return model::median_of(std::move(values)).value();
}

std::string gpu_text(const NodeGpu& gpu) { return fmt::format("GPU {} ({})", gpu.ordinal, gpu.gpu.name); }

// Why a GPU of the node is unusual; empty if none is.
std::string unusual_gpu(const NodeRecord& node, const std::string& key, std::string_view roof, double spread,
                        double median, std::size_t voters) {
  for (const NodeGpu& gpu : node.node.gpus) {
    const std::optional<double> value = gpu.gpu.key() == key ? roof_of(gpu, roof) : std::nullopt;
    if (!value) continue;
    const double deviation = *value / median - 1.0;
    if (std::abs(deviation) <= spread) continue;
    return fmt::format(
        "the {} roof of its {} is {:.1f} % {} the median of {} with this model; up to {:.0f} % is usual",
        roof, gpu_text(gpu), std::abs(deviation) * 100.0, deviation < 0.0 ? "below" : "above",
        base::counted(voters, "node"), spread * 100.0);
  }
  return {};
}

// Why nothing can be said about a GPU of the node; empty if all of them are judged. `votes` has those on each
// roof.
std::string why_unjudged(const NodeRecord& node, const std::vector<Votes>& votes) {
  for (const NodeGpu& gpu : node.node.gpus)
    if (!has_roofs(gpu)) return fmt::format("the roofs of its {} are not known", gpu_text(gpu));
  for (const NodeGpu& gpu : node.node.gpus) {
    std::size_t voters = 0;
    for (const Votes& on_roof : votes) {
      const auto of_model = on_roof.find(gpu.gpu.key());
      if (of_model != on_roof.end()) voters = std::max(voters, counted_votes(of_model->second, node));
    }
    if (voters < kMinNodes)
      return fmt::format("{} measured the model of its {}, and {} are needed",
                         base::counted(voters, "node has", "nodes have"), gpu_text(gpu), kMinNodes);
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> suspect_nodes(const std::vector<NodeRecord>& nodes) {
  std::map<std::string, std::string> suspects;
  for (const auto& [roof, spread] : kSpreads) {
    for (const auto& [key, votes] : votes_on(nodes, roof)) {
      std::size_t voters = 0;  // Grows from one node to the next, so that a median serves for many.
      double median = 0.0;
      for (const Vote& vote : votes) {
        const std::size_t counted = counted_votes(votes, *vote.node);
        if (counted != voters) median = median_of_first(votes, voters = counted);
        if (voters < kMinNodes || vote.node->accepted) continue;
        std::string reason = unusual_gpu(*vote.node, key, roof, spread, median, voters);
        if (!reason.empty()) suspects.emplace(vote.node->node.id, std::move(reason));
      }
    }
  }
  return suspects;
}

std::map<std::string, std::string> unjudged_nodes(const std::vector<NodeRecord>& nodes) {
  std::vector<Votes> votes;
  votes.reserve(kSpreads.size());
  for (const auto& known : kSpreads) votes.push_back(votes_on(nodes, known.first));
  const std::map<std::string, std::string> suspects = suspect_nodes(nodes);
  std::map<std::string, std::string> unjudged;
  for (const NodeRecord& node : nodes) {
    if (node.accepted || suspects.contains(node.node.id)) continue;
    std::string reason = why_unjudged(node, votes);
    if (!reason.empty()) unjudged.emplace(node.node.id, std::move(reason));
  }
  return unjudged;
}

}  // namespace warptune::fleet
