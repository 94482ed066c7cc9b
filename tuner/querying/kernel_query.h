// The question of `warptune query`: which configuration is the best known one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/lookup.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/read_scope.h"
#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "profiling/verification/plausibility.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/present_machine.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/knowledge/reproducible_winners.h"
#include "tuner/querying/weighed_winners.h"
#include "tuner/text_output/configuration_comparison.h"

namespace warptune::tuner::querying {

struct KernelQuestion {
  std::string kernel;  ///< The name of a shipped kernel or the path of a definition.
  model::NamedValues sizes;
  kernel_templates::Permissions permissions;
  std::optional<std::string> gpu;  ///< A name or key for `gpus::choose_gpu`.
  model::CacheState cache = model::CacheState::kCold;
  model::Objective objective;
  bool strict = false;   ///< Accept only an exact match.
  bool explain = false;  ///< Say what was weighed.
  /// What the outputs of the answer must be known to be. Only a row of exactly the asked problem, GPU and
  /// cache state proves it, as with `strict`.
  std::optional<model::outputs::Reproducibility> reproducible{};
  bool compare = false;  ///< Say under which other conditions the winner was measured.
  std::filesystem::path database;
};

struct KernelAnswer {
  kernel_templates::KernelInstance instance;
  gpus::ChosenGpu chosen;
  model::Workload asked;                        ///< The workload that the question is about.
  db::Match match;                              ///< Its configuration can run for the instance.
  std::string reason;                           ///< Why it is not a winner, in words; may be empty.
  std::vector<text_output::ParetoPoint> front;  ///< Empty if the objective has one part.
  /// A contradiction between the winner's measurement and `[work]` of the current definition.
  std::optional<profiling::verification::WorkContradiction> doubt;
  std::optional<Weighing> weighing;  ///< Present if the question asks to explain.
  /// Empty if nothing differs, if there is no measured winner, or unless the question asks to compare.
  knowledge::EnvironmentDifferences differences{};
  /// What is known of the outputs, if the question demands something of them. It has a winner.
  std::optional<knowledge::ReproducibleWinner> reproducible{};
};

/// Answers from the database. If it was not made yet (`knowledge::is_not_made_yet`), only what the definition
/// recommends is an answer. Throws as `load_kernel`, `open_database`, `choose_gpu` and `known_answer` do.
/// Throws `base::WorkError` if the question demands reproducible outputs and no row is known to have them.
/// `read_machine` is called only to compare.
KernelAnswer answer(const KernelQuestion& question,
                    const gpus::MachineReader& read_machine = gpus::read_present_machine);

/// The sentence about `KernelAnswer::differences`. Empty if nothing differs.
std::string environment_note(const KernelAnswer& answer, const KernelQuestion& question);

}  // namespace warptune::tuner::querying
