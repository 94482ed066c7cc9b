#include "fleet/unfit_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "fleet/campaign_status.h"
#include "fleet/task_record.h"

namespace warptune::fleet {

namespace {

constexpr double kGpuGib = 1024.0 * 1024.0 * 1024.0;

std::string gpu_text(const model::GpuDescription& gpu) {
  return fmt::format("{} ({}.{}, {:.0f} GiB)", gpu.name, gpu.compute_major, gpu.compute_minor,
                     static_cast<double>(gpu.memory_bytes) / kGpuGib);
}

const Refusal* refusal_of(const NodeRecord& record, const std::string& campaign, std::uint64_t class_index) {
  for (const Refusal& refusal : record.refusals)
    if (refusal.campaign == campaign && refusal.class_index == class_index) return &refusal;
  return nullptr;
}

// The class with what is missing, or nothing if nodes that are here take all of its open tasks.
std::optional<UnfitClass> unfit_class(const CampaignFacts& facts, std::uint64_t class_index,
                                      std::set<std::uint64_t> open) {
  const GpuPredicate& predicate = facts.campaign.classes.at(class_index).gpu;
  UnfitClass unfit{class_index, std::move(open), predicate.text(), {}, {}};
  std::set<std::string> gpus;
  std::int64_t last_seen_ms = 0;
  for (const NodeRecord& record : facts.nodes) {
    if (!is_here(record, facts.now_ms)) {
      const Refusal* const past = refusal_of(record, facts.campaign.name, class_index);
      if (record.seen_ms >= last_seen_ms) unfit.last_refusal = {record.node.name, past ? past->reason : ""};
      last_seen_ms = std::max(last_seen_ms, record.seen_ms);
      continue;
    }
    bool fits = false;
    for (const NodeGpu& offered : record.node.gpus) {
      gpus.insert(gpu_text(offered.gpu));
      fits = fits || predicate.fits(offered.gpu);
    }
    if (!fits) continue;
    const Refusal* const refusal = refusal_of(record, facts.campaign.name, class_index);
    if (refusal == nullptr) return std::nullopt;
    if (!refusal->tasks.empty()) {
      const std::set<std::uint64_t> refused(refusal->tasks.begin(), refusal->tasks.end());
      std::erase_if(unfit.tasks, [&](std::uint64_t task) { return !refused.contains(task); });
    }
    unfit.refusals.emplace_back(record.node.name, refusal->reason);
  }
  if (unfit.tasks.empty()) return std::nullopt;
  unfit.gpus.assign(gpus.begin(), gpus.end());
  return unfit;
}

}  // namespace

bool is_here(const NodeRecord& record, std::int64_t now_ms) {
  return !record.has_left && now_ms - record.seen_ms <= kLeaseMs;
}

std::vector<UnfitClass> unfit_classes(const CampaignFacts& facts) {
  std::map<std::uint64_t, std::set<std::uint64_t>> open;
  for (const TaskRecord& task : facts.tasks)
    if (task.state == TaskState::kOpen)
      open[facts.campaign.tasks.at(task.task).class_index].insert(task.task);
  std::vector<UnfitClass> unfit;
  unfit.reserve(open.size());
  for (const auto& [class_index, tasks] : open)
    if (std::optional<UnfitClass> one = unfit_class(facts, class_index, tasks))
      unfit.push_back(std::move(*one));
  return unfit;
}

std::string missing_text(const UnfitClass& unfit, const std::string& kernel) {
  std::string text = fmt::format("{} of {} {}: ", base::counted(unfit.tasks.size(), "open task"), kernel,
                                 unfit.tasks.size() == 1 ? "waits" : "wait");
  if (unfit.gpus.empty()) {
    text += fmt::format("no node is here; needed is {}", unfit.wanted);
    const auto& [node, reason] = unfit.last_refusal;
    return reason.empty() ? text : text + fmt::format("; {}, which is gone, refused: {}", node, reason);
  }
  if (unfit.refusals.empty())
    return text + fmt::format("no node fits; needed is {}; the nodes have {}", unfit.wanted,
                              fmt::join(unfit.gpus, ", "));
  std::vector<std::string> refusals;
  for (const auto& [node, reason] : unfit.refusals) refusals.push_back(fmt::format("{}: {}", node, reason));
  return text + fmt::format("the nodes with {} refuse; {}", unfit.wanted, fmt::join(refusals, "; "));
}

}  // namespace warptune::fleet
