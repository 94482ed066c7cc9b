// The parts of a class are checked in this order: its GPUs, its options, its definition, and in a replay its
// recordings. The first thing that is wrong is an `InputError`, whose message becomes the refusal.
#include "tuner/nodes/class_decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/campaigns/bundle_signature.h"
#include "tuner/campaigns/session_request.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;

namespace {

void require_fitting_gpu(const fleet::TaskClass& task_class, const std::vector<OfferedGpu>& gpus) {
  std::set<std::string> names;
  for (const OfferedGpu& one : gpus) {
    if (task_class.gpu.fits(one.gpu)) return;
    names.insert(one.gpu.name);
  }
  throw base::InputError(fmt::format("no GPU of this node fits: the task needs {}, and the node has {}",
                                     task_class.gpu.text(), fmt::join(names, ", ")));
}

std::string unsigned_reason(const std::string& kernel) {
  return fmt::format(
      "others can write into the store now, or could before, so the definition of {} needs a signature: "
      "start "
      "the node with --allowed-signers",
      kernel);
}

}  // namespace

// What one call of `decide` has read. Classes that differ only in their options, such as the seed, share it:
// there may be hundreds, and reading a definition takes milliseconds.
struct ClassDecisions::Pass {
  explicit Pass(fleet::FleetStore& read_store) : store(read_store) {}

  const kernel_templates::KernelDefinition& definition(const std::string& kernel) {
    const auto known = definitions.find(kernel);
    if (known != definitions.end()) return known->second;
    return definitions.emplace(kernel, kernel_templates::load_kernel(kernel)).first->second;
  }
  const std::vector<fleet::Task>& tasks_of(const std::string& campaign) {
    const auto known = tasks.find(campaign);
    if (known != tasks.end()) return known->second;
    return tasks.emplace(campaign, store.campaign(campaign).tasks).first->second;
  }

  /// A problem on a GPU: what a recording must have.
  struct Wanted {
    std::string kernel;
    model::NamedValues sizes;
    int ordinal = 0;
    model::CacheState cache = model::CacheState::kUnknown;
    auto tie() const { return std::tie(kernel, sizes, ordinal, cache); }
    bool operator<(const Wanted& other) const { return tie() < other.tie(); }
  };

  fleet::FleetStore& store;
  std::map<std::string, kernel_templates::KernelDefinition> definitions;  ///< By `RunnableClass::kernel`.
  std::map<std::string, std::vector<fleet::Task>> tasks;                  ///< By campaign.
  std::map<std::string, RunnableClass> bundles;                           ///< By digest.
  std::map<Wanted, bool> recorded;
};

// What is private now may have been open to others since the last look, and what they wrote is still there.
// So a store that was not private once is not trusted any more. Returns whether a class is refused now that
// was run before.
bool ClassDecisions::refuse_unsigned(fleet::FleetStore& store, const std::vector<fleet::OpenClass>& classes) {
  const bool has_bundles = std::any_of(classes.begin(), classes.end(),
                                       [](const auto& one) { return !one.task_class.bundle.empty(); });
  if (rules_.allowed_signers || others_could_write_ || !has_bundles || store.is_private()) return false;
  others_could_write_ = true;
  bool refused = false;
  const std::lock_guard guard(mutex_);
  for (auto& [key, decision] : decided_) {
    if (!decision.runnable || !decision.runnable->bundle) continue;
    decision.reason = unsigned_reason(decision.task_class.kernel);
    decision.runnable.reset();
    decision.tasks.clear();
    refused = true;
  }
  return refused;
}

std::optional<std::vector<fleet::Refusal>> ClassDecisions::decide(
    fleet::FleetStore& store, const std::vector<fleet::OpenClass>& classes) {
  const std::lock_guard deciding(deciding_);
  bool refused = refuse_unsigned(store, classes);
  Pass pass(store);
  for (const fleet::OpenClass& one : classes) {
    {
      const std::lock_guard guard(mutex_);
      const auto known = decided_.find(one.key);
      if (known != decided_.end() && known->second.task_class == one.task_class) continue;
    }
    Decision decision = decide_one(pass, one);
    const std::lock_guard guard(mutex_);
    refused = refused || !decision.reason.empty();
    decided_.insert_or_assign(one.key, std::move(decision));
  }
  if (!refused) return std::nullopt;
  return refusals();
}

ClassDecisions::Decision ClassDecisions::decide_one(Pass& pass, const fleet::OpenClass& one) {
  const fleet::TaskClass& wanted = one.task_class;
  try {
    require_fitting_gpu(wanted, rules_.gpus);
    campaigns::request_of(wanted.options);
    RunnableClass runnable = wanted.bundle.empty() ? RunnableClass{wanted.kernel} : unpacked(pass, wanted);
    if (wanted.bundle.empty() && kernel_templates::is_kernel_path(wanted.kernel))
      throw base::InputError(fmt::format("{} is a path, and there is no bundle for it", wanted.kernel));
    const kernel_templates::KernelDefinition& definition = pass.definition(runnable.kernel);
    if (definition.hash != wanted.kernel_hash || definition.name != wanted.kernel) {
      throw base::InputError(fmt::format(
          "the definition of {} is different on this node: its hash is {}, and the campaign has {}",
          wanted.kernel, definition.hash, wanted.kernel_hash));
    }
    Decision decision{std::move(runnable), {}, {}, {}, wanted};
    if (rules_.recorded != nullptr && !wanted.options.reproducible.empty()) {
      throw base::InputError(
          "this node replays recordings, which have no outputs, and the class wants reproducible ones");
    }
    if (rules_.recorded != nullptr) refuse_unrecorded(pass, one, decision);
    return decision;
  } catch (const base::InputError& error) {
    return {std::nullopt, error.message(), {}, {}, wanted};
  }
}

RunnableClass ClassDecisions::unpacked(Pass& pass, const fleet::TaskClass& task_class) {
  const auto known = pass.bundles.find(task_class.bundle);
  if (known != pass.bundles.end() && known->second.bundle->kernel == task_class.kernel &&
      known->second.bundle->kernel_hash == task_class.kernel_hash)
    return known->second;
  const std::optional<std::string> bytes = pass.store.file(task_class.bundle);
  if (!bytes)
    throw base::InputError(
        fmt::format("the store lacks the bundle of the definition of {}", task_class.kernel));
  campaigns::DefinitionBundle bundle = campaigns::bundle_from_bytes(*bytes);
  if (bundle.kernel != task_class.kernel || bundle.kernel_hash != task_class.kernel_hash) {
    throw base::InputError(
        fmt::format("the bundle for {} has the definition of another kernel or version", task_class.kernel));
  }
  if (rules_.allowed_signers) {
    campaigns::require_signature(bundle, *rules_.allowed_signers);
  } else if (others_could_write_) {
    throw base::InputError(unsigned_reason(task_class.kernel));
  }
  const fs::path folder = rules_.bundles / task_class.bundle;
  // The folder may be left by an earlier process, and is replaced then. Sessions of another class may use it.
  std::error_code ignored;
  if (unpacked_.insert(task_class.bundle).second) fs::remove_all(folder, ignored);
  const fs::path definition = campaigns::unpack_bundle(bundle, folder);
  RunnableClass runnable{definition.string(), std::move(bundle), folder};
  pass.bundles.insert_or_assign(task_class.bundle, runnable);
  return runnable;
}

// A session without a recording could not run. Tasks without one are refused, or the class if no task has
// one.
void ClassDecisions::refuse_unrecorded(Pass& pass, const fleet::OpenClass& one, Decision& decision) const {
  const std::string& kernel = decision.runnable->kernel;
  const kernel_templates::KernelDefinition& definition = pass.definition(kernel);
  const model::CacheState cache = campaigns::request_of(one.task_class.options).measuring.cache;
  const auto has_recording = [&](const model::NamedValues& sizes, const OfferedGpu& offered) {
    const Pass::Wanted wanted{kernel, sizes, offered.ordinal, cache};
    const auto known = pass.recorded.find(wanted);
    if (known != pass.recorded.end()) return known->second;
    const kernel_templates::KernelInstance instance(definition, sizes, offered.gpu);
    const bool found =
        rules_.recorded->find(definition.name, instance.problem(), offered.gpu, cache) != nullptr;
    return pass.recorded.emplace(wanted, found).first->second;
  };
  const std::vector<fleet::Task>& tasks = pass.tasks_of(one.key.campaign);
  std::uint64_t count = 0;
  for (std::uint64_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].class_index != one.key.index) continue;
    ++count;
    bool is_recorded = false;
    for (const OfferedGpu& offered : rules_.gpus) {
      if (!one.task_class.gpu.fits(offered.gpu)) continue;
      if (has_recording(tasks[task].sizes, offered))
        is_recorded = true;
      else
        decision.unrecorded[offered.ordinal].insert(task);
    }
    if (!is_recorded) decision.tasks.push_back(task);
  }
  if (decision.tasks.empty()) return;
  const std::string sizes = model::to_text(tasks[decision.tasks.front()].sizes);
  decision.reason = fmt::format("this node replays recordings, and none is of {} {}", definition.name,
                                sizes.empty() ? "with its default sizes, as it is defined here" : sizes);
  if (const std::size_t others = decision.tasks.size() - 1; others > 0)
    decision.reason += fmt::format(" and {}", base::counted(others, "other size"));
  if (decision.tasks.size() < count) return;
  decision.runnable.reset();
  decision.tasks.clear();
}

std::vector<fleet::ClassKey> ClassDecisions::runnable_on(const model::GpuDescription& gpu,
                                                         const std::vector<fleet::OpenClass>& classes) const {
  const std::lock_guard guard(mutex_);
  std::vector<fleet::ClassKey> keys;
  for (const fleet::OpenClass& one : classes) {
    const auto found = decided_.find(one.key);
    if (found != decided_.end() && found->second.runnable && found->second.task_class == one.task_class &&
        one.task_class.gpu.fits(gpu))
      keys.push_back(one.key);
  }
  return keys;
}

std::optional<RunnableClass> ClassDecisions::runnable(const fleet::ClassKey& key) const {
  const std::lock_guard guard(mutex_);
  const auto found = decided_.find(key);
  return found == decided_.end() ? std::nullopt : found->second.runnable;
}

std::set<fleet::TaskKey> ClassDecisions::refused_on(int ordinal) const {
  const std::lock_guard guard(mutex_);
  std::set<fleet::TaskKey> refused;
  for (const auto& [key, decision] : decided_) {
    const auto tasks = decision.unrecorded.find(ordinal);
    if (!decision.runnable || tasks == decision.unrecorded.end()) continue;
    for (const std::uint64_t task : tasks->second) refused.insert({key.campaign, task});
  }
  return refused;
}

std::vector<fleet::Refusal> ClassDecisions::refusals() const {
  const std::lock_guard guard(mutex_);
  std::vector<fleet::Refusal> refusals;
  for (const auto& [key, decision] : decided_)
    if (!decision.reason.empty())
      refusals.push_back({key.campaign, key.index, decision.reason, decision.tasks});
  return refusals;
}

}  // namespace warptune::tuner::nodes
