#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "model/gpu_description.h"

namespace warptune::db {

/// How well the result of a look-up fits the question, best first.
enum class MatchTier { kExact, kNearProblem, kSameCapability, kSameMajor, kPortable, kDefault, kNone };

/// The tier's name as users see it: `exact`, `near_problem`, `same_cc`, `same_major`, `portable`, `default`,
/// `none`.
std::string_view to_string(MatchTier tier);

struct Match {
  MatchTier tier = MatchTier::kNone;
  std::optional<Winner> winner;  ///< The source of the configuration, if it comes from a winner.
  model::NamedValues configuration;
  double distance = 0.0;  ///< The sum of |log2(asked / stored)| over all sizes.
  /// Set if no winner is valid: the measurement of the workload's real winner. `winner->best` is then the
  /// best valid row of that workload.
  std::optional<model::Measurement> refused{};
};

/// What `look_up` looks for.
struct Question {
  std::string kernel;
  std::string kernel_hash;
  model::NamedValues problem;
  model::GpuDescription gpu;
  model::NamedValues default_configuration;  ///< May be empty.
  bool strict = false;                       ///< Accept only kExact.
  /// Returns whether a configuration is valid for the asked problem and GPU. It checks the constraints and
  /// the resources that `evidence` has. An empty function accepts all.
  std::function<bool(const model::NamedValues& configuration, const model::Measurement& evidence)> valid;
  model::CacheState cache = model::CacheState::kCold;  ///< Winners of another cache state are ignored.
  /// Returns the best row of a winner's workload that is valid. It is called if no winner is valid. An empty
  /// function returns none.
  std::function<std::optional<model::Measurement>(const Winner& winner)> valid_row{};
};

/// Whether results for the problem `stored` may answer a question for the problem `asked`. They have the same
/// entries, and the same text and types in them.
bool are_comparable(const model::NamedValues& asked, const model::NamedValues& stored);

/// Returns the best known configuration among winners of the same kernel hash and cache state.
/// The tiers, best first: same GPU and problem; same GPU and another problem; same compute capability; same
/// major version of it; any GPU. Within a tier the smallest distance wins, then the smallest median time. The
/// last criterion is the order of the names, so that the result is deterministic. If no winner is valid, the
/// winners are asked for valid rows of their workloads (`valid_row`) in the same order, and the first such
/// row is the answer. If nothing fits, the default configuration is the answer, unless `strict` is set.
Match look_up(const std::vector<Winner>& winners, const Question& question);

}  // namespace warptune::db
