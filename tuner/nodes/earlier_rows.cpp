#include "tuner/nodes/earlier_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "fleet/rows/batch_owner.h"
#include "fleet/rows/row_batch.h"
#include "fleet/suspicion.h"

namespace warptune::tuner::nodes {

using fleet::BatchName;

namespace {

// The first of each list, then the second of each, and so on.
std::vector<BatchName> in_turns(const std::vector<std::vector<BatchName>>& lists) {
  std::vector<BatchName> all;
  std::size_t longest = 0;
  for (const std::vector<BatchName>& list : lists) longest = std::max(longest, list.size());
  for (std::size_t turn = 0; turn < longest; ++turn)
    for (const std::vector<BatchName>& list : lists)
      if (turn < list.size()) all.push_back(list[turn]);
  return all;
}

}  // namespace

std::vector<BatchName> in_fair_order(const std::vector<BatchName>& batches) {
  using Attempts = std::map<std::uint64_t, std::vector<BatchName>, std::greater<>>;  // By fence.
  std::map<std::pair<std::string, std::uint64_t>, Attempts> tasks;
  for (const BatchName& name : batches)
    tasks[{name.lease.campaign, name.lease.task}][name.lease.fence].push_back(name);
  std::vector<std::vector<BatchName>> of_tasks;
  of_tasks.reserve(tasks.size());
  for (auto& [task, attempts] : tasks) {
    std::vector<std::vector<BatchName>> of_attempts;
    of_attempts.reserve(attempts.size());
    for (auto& [fence, names] : attempts) {
      std::stable_sort(names.begin(), names.end(),
                       [](const BatchName& a, const BatchName& b) { return a.sequence > b.sequence; });
      of_attempts.push_back(std::move(names));
    }
    of_tasks.push_back(in_turns(of_attempts));
  }
  return in_turns(of_tasks);
}

// The names of the batches that a filter selects, except those of other nodes that are suspect.
std::vector<BatchName> EarlierRows::names_of(const fleet::BatchFilter& filter) {
  const std::vector<BatchName> listed = store_.batches(filter, "").batches;
  std::set<BatchName> distinct(listed.begin(), listed.end());
  const auto is_foreign = [&](const BatchName& name) { return name.node != own_node_; };
  if (std::any_of(distinct.begin(), distinct.end(), is_foreign)) {
    const std::map<std::string, std::string> suspects = fleet::suspect_nodes(store_.nodes());
    std::erase_if(distinct,
                  [&](const auto& name) { return is_foreign(name) && suspects.contains(name.node); });
  }
  return {distinct.begin(), distinct.end()};
}

std::vector<EarlierRows::Fetched> EarlierRows::fetched(const std::vector<BatchName>& names,
                                                       const fleet::Campaign& campaign,
                                                       std::size_t max_batches) {
  std::vector<Fetched> batches;
  batches.reserve(std::min(names.size(), max_batches));
  std::uint64_t bytes = 0;
  std::size_t left_out = names.size() - std::min(names.size(), max_batches);
  for (const BatchName& name : in_fair_order(names)) {
    if (batches.size() >= max_batches) break;
    try {
      db::RowOwner owner = fleet::rows::owner_of(campaign_identity_, name, campaign);
      Fetched batch{name, store_.batch(name), std::move(owner)};
      if (bytes + batch.bytes.size() > limits_.bytes) {  // A smaller one may fit.
        ++left_out;
        continue;
      }
      bytes += batch.bytes.size();
      batches.push_back(std::move(batch));
    } catch (const base::InputError& error) {
      base::log_warning(fmt::format("{} is left out: {}", fleet::rows::describe(name), error.message()));
    }
  }
  if (left_out > 0)
    base::log_warning(fmt::format("{} of {} {} left out: an attempt reads at most {} with {} MiB together",
                                  left_out, base::counted(names.size(), "batch", "batches"),
                                  left_out == 1 ? "is" : "are", max_batches, limits_.bytes >> 20));
  return batches;
}

void EarlierRows::fetch(bool transfer) {
  std::vector<BatchName> own = names_of({lease_.key.campaign, lease_.key.task});
  std::erase_if(own, [&](const BatchName& name) { return name.lease.fence >= lease_.key.fence; });
  if (own.empty() && !transfer) return;  // The next calls are slow for large stores.
  for (const fleet::CampaignSummary& campaign : store_.campaigns())
    if (campaign.name == lease_.key.campaign) campaign_identity_ = fleet::rows::identity_of(campaign);
  const fleet::Campaign campaign = store_.campaign(lease_.key.campaign);
  own_ = fetched(own, campaign, limits_.batches);
  if (!transfer) return;
  std::vector<BatchName> others = names_of({lease_.key.campaign, std::nullopt});
  std::erase_if(others, [&](const BatchName& name) {
    const std::uint64_t task = name.lease.task;
    if (task == lease_.key.task || task >= campaign.tasks.size()) return true;
    const std::uint64_t index = campaign.tasks[task].class_index;
    return index >= campaign.classes.size() || campaign.classes[index].kernel != lease_.task_class.kernel;
  });
  others_ = fetched(others, campaign, limits_.transferred);
}

void EarlierRows::merge(db::Store& database, std::vector<Fetched>& batches) {
  for (const Fetched& batch : std::exchange(batches, {})) {
    try {
      fleet::rows::merge_batch(database, batch.bytes, batch.owner);
    } catch (const base::InputError& error) {
      base::log_warning(
          fmt::format("{} is left out: {}", fleet::rows::describe(batch.name), error.message()));
    }
  }
}

}  // namespace warptune::tuner::nodes
