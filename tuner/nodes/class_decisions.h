// Which classes of tasks a node runs, and why it refuses the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_store.h"
#include "tuner/campaigns/definition_bundle.h"
#include "tuner/nodes/offered_gpus.h"

namespace warptune::tuner::nodes {

/// What decides about classes.
struct DecisionRules {
  std::vector<OfferedGpu> gpus;
  const RecordedOffer* recorded = nullptr;  ///< Not null: the GPUs are recordings. Outlives the decisions.
  std::filesystem::path bundles;            ///< The folder for unpacked definitions.
  /// Keys whose signatures are accepted (`--allowed-signers`).
  std::optional<std::filesystem::path> allowed_signers{};
};

/// A class that the node runs.
struct RunnableClass {
  std::string kernel;  ///< What `load_kernel` gets: a shipped name, or the path of the unpacked definition.
  /// The bundle that was unpacked; compared with its folder before each session.
  std::optional<campaigns::DefinitionBundle> bundle{};
  std::filesystem::path folder{};  ///< Where the bundle was unpacked.
};

/// Decides about each class once, and again if the class has changed. Definitions without a signature are run
/// only as long as the store is private. All members may be called by several threads, each with its own
/// store.
class ClassDecisions {
 public:
  explicit ClassDecisions(DecisionRules rules) : rules_(std::move(rules)) {}

  /// Decides about the classes that are new. Returns the refusals if there are more than before. Throws
  /// `base::MachineError` if the store is away.
  std::optional<std::vector<fleet::Refusal>> decide(fleet::FleetStore& store,
                                                    const std::vector<fleet::OpenClass>& classes);
  /// Those of the classes that this GPU runs.
  std::vector<fleet::ClassKey> runnable_on(const model::GpuDescription& gpu,
                                           const std::vector<fleet::OpenClass>& classes) const;
  /// Tasks of runnable classes that a GPU cannot run: in a replay, those without a recording.
  std::set<fleet::TaskKey> refused_on(int ordinal) const;
  /// std::nullopt if the class is not runnable (any more).
  std::optional<RunnableClass> runnable(const fleet::ClassKey& key) const;
  std::vector<fleet::Refusal> refusals() const;

 private:
  struct Decision {
    std::optional<RunnableClass> runnable;
    std::string reason;                ///< Why it, or some of its tasks, are refused. Empty: nothing is.
    std::vector<std::uint64_t> tasks;  ///< `Refusal::tasks`.
    std::map<int, std::set<std::uint64_t>> unrecorded;  ///< Tasks without a recording on a GPU, by ordinal.
    fleet::TaskClass task_class;                        ///< What was decided about.
  };

  struct Pass;

  Decision decide_one(Pass& pass, const fleet::OpenClass& one);
  bool refuse_unsigned(fleet::FleetStore& store, const std::vector<fleet::OpenClass>& classes);
  RunnableClass unpacked(Pass& pass, const fleet::TaskClass& task_class);
  void refuse_unrecorded(Pass& pass, const fleet::OpenClass& one, Decision& decision) const;

  DecisionRules rules_;
  std::mutex deciding_;              // Held by the thread that decides.
  std::set<std::string> unpacked_;   // The bundles that this process has unpacked.
  bool others_could_write_ = false;  // The store was not private at some time.
  mutable std::mutex mutex_;         // Guards `decided_`.
  std::map<fleet::ClassKey, Decision> decided_;
};

}  // namespace warptune::tuner::nodes
