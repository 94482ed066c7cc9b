#include "fleet/rows/batch_owner.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::fleet::rows {

namespace {

// The hash is one of cryptography, so that no node can choose its id such that it gets the origin of others.
// The key is not secret: it keeps these hashes apart from others.
constexpr std::string_view kHashKey = "warptune: the origin of an attempt";
constexpr std::size_t kOriginDigits = 16;  // 64 bits.

std::int64_t origin_of(const std::string& campaign_identity, const BatchName& batch) {
  std::string attempt =
      fmt::format("{} {} {} {}", campaign_identity, batch.lease.task, batch.lease.fence, batch.node);
  // A restored store may give the same lease again, to another database with other rows.
  if (batch.series() > 0) attempt += fmt::format(" {}", batch.series());
  const std::string digits = base::keyed_hash_hex(attempt, kHashKey).substr(0, kOriginDigits);
  return static_cast<std::int64_t>(std::stoull(digits, nullptr, 16));
}

// A size of the campaign may be an integer where the problem has a real.
bool is_same(const model::Value& one, const model::Value& other) {
  const auto first = model::to_number(one);
  const auto second = model::to_number(other);
  return first && second ? *first == *second : one == other;
}

std::string objection_to(const model::Workload& workload, bool is_measured, const TaskClass& task_class,
                         const Task& task) {
  if (workload.kernel != task_class.kernel)
    return fmt::format("it has rows of the kernel {}, but its task is one of {}", workload.kernel,
                       task_class.kernel);
  // Recordings may have been made with an earlier version of the kernel.
  if (is_measured && workload.kernel_hash != task_class.kernel_hash)
    return fmt::format("it has rows of another version of the kernel {} than its task", workload.kernel);
  for (const auto& [name, value] : task.sizes) {
    const model::Value* found = model::find(workload.problem, name);
    if (found == nullptr || !is_same(*found, value))
      return fmt::format("it has rows of another size than its task: {}", model::to_text(workload.problem));
  }
  if (!task_class.gpu.fits(workload.gpu))
    return fmt::format("it has rows of the GPU {}, which does not fit its task: {}", workload.gpu.name,
                       task_class.gpu.text());
  if (model::to_string(workload.cache) != task_class.options.cache)
    return fmt::format("it has rows with a {} cache, but its task has a {} one",
                       model::to_string(workload.cache), task_class.options.cache);
  return "";
}

}  // namespace

std::string identity_of(const CampaignSummary& campaign) {
  return fmt::format("{} {}", campaign.name, campaign.added_ms);
}

db::RowOwner owner_of(const std::string& campaign_identity, const BatchName& batch,
                      const TaskClass& task_class, const Task& task) {
  db::RowOwner owner;
  owner.origin = origin_of(campaign_identity, batch);
  // A lease that is not plausible is refused by the merge.
  owner.choice = batch.lease.fence <= static_cast<std::uint64_t>(db::RowOwner::kMaxChoice)
                     ? static_cast<std::int64_t>(batch.lease.fence)
                     : -1;
  owner.objection = [task_class, task](const model::Workload& workload, bool is_measured) {
    return objection_to(workload, is_measured, task_class, task);
  };
  return owner;
}

db::RowOwner owner_of(const std::string& campaign_identity, const BatchName& batch,
                      const Campaign& campaign) {
  if (batch.lease.task >= campaign.tasks.size() ||
      campaign.tasks[batch.lease.task].class_index >= campaign.classes.size())
    throw base::InputError(fmt::format("its campaign has no task {}", batch.lease.task));
  const Task& task = campaign.tasks[batch.lease.task];
  return owner_of(campaign_identity, batch, campaign.classes[task.class_index], task);
}

}  // namespace warptune::fleet::rows
