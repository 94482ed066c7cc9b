#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "model/gpu_description.h"

namespace warptune::db {

/// How well a look-up matched, best first.
enum class MatchTier { kExact, kNearProblem, kSameCapability, kSameMajor, kPortable, kDefault, kNone };

/// `exact`, `near_problem`, `same_cc`, `same_major`, `portable`, `default`, `none`.
std::string_view to_string(MatchTier tier);

struct Match {
  MatchTier tier = MatchTier::kNone;
  std::optional<Winner> winner;  ///< Where the configuration comes from; nothing for kDefault and kNone.
  model::NamedValues configuration;
  double distance = 0.0;  ///< Sum over sizes of |log2(asked / stored)|; types must be equal.
};

/// What is asked for.
struct Question {
  std::string kernel;
  std::string kernel_hash;
  model::NamedValues problem;
  model::GpuDescription gpu;
  model::NamedValues default_configuration;  ///< May be empty.
  bool strict = false;                       ///< Only exact.
  /// Whether a configuration is valid for the asked problem and GPU (constraints and resources); empty:
  /// always.
  std::function<bool(const model::NamedValues& configuration, const model::Measurement& evidence)> valid;
  model::CacheState cache = model::CacheState::kCold;  ///< Only what was timed so answers.
};

/// The best known configuration, from winners of the same kernel hash and cache state, nearest first: same
/// GPU and problem; same GPU, near problem; same compute capability; same major; any. Within a tier the
/// smallest distance, then the fastest evidence by name order for determinism.
Match look_up(const std::vector<Winner>& winners, const Question& question);

}  // namespace warptune::db
