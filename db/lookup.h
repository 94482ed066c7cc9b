#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "model/gpu_description.h"

namespace warptune::db {

/// How well the result of a look-up fits the question, best first. `look_up` says what each tier means.
enum class MatchTier {
  kExact,
  kNearProblem,
  kSameCapability,
  kSameMajor,
  kPortable,
  kRecommended,
  kDefault,
  kNone
};

/// The tier's name as users see it: `exact`, `near_problem`, `same_cc`, `same_major`, `portable`,
/// `recommended`, `default`, `none`.
std::string_view to_string(MatchTier tier);

struct Match {
  MatchTier tier = MatchTier::kNone;
  std::optional<Winner> winner;  ///< The source of the configuration, if it comes from a winner.
  model::NamedValues configuration;
  double distance = 0.0;  ///< The sum of |log2(asked / stored)| over all sizes.
  /// Set only if no winner is valid for the question. Then `winner->best` is another row of the winner's
  /// workload, and this is the measurement of the winner itself.
  std::optional<model::Measurement> refused{};
};

/// The largest distance, as a ratio, at which a winner answers although the definition recommends a
/// configuration for the asked problem. How it was found: docs/notes/search-experiments.md, "Winners that are
/// near enough".
inline constexpr double kMaxRatioBesideRecommended = 4.0;

/// What `look_up` looks for.
struct Question {
  std::string kernel;
  std::string kernel_hash;
  model::NamedValues problem;
  model::GpuDescription gpu;
  model::NamedValues default_configuration;  ///< May be empty.
  bool strict = false;                       ///< Accept only kExact.
  /// Returns whether a configuration is valid for the asked problem and GPU. It checks the constraints, and
  /// the resources that were measured (`evidence.resources`). An empty function accepts all configurations.
  std::function<bool(const model::NamedValues& configuration, const model::Measurement& evidence)> valid;
  model::CacheState cache = model::CacheState::kCold;  ///< Winners of another cache state are ignored.
  /// Returns the best valid row of a winner's workload. It is called only if no winner is valid. With an
  /// empty function, only winners can be the answer.
  std::function<std::optional<model::Measurement>(const Winner& winner)> valid_row{};
};

/// A question about a workload, for which every configuration is valid.
Question question_about(const model::Workload& workload);

/// Whether results for the problem `stored` may answer a question for the problem `asked`. Both must have the
/// same entries, and may differ only in positive numbers.
bool are_comparable(const model::NamedValues& asked, const model::NamedValues& stored);

/// A winner that may answer a question.
struct RankedWinner {
  MatchTier tier = MatchTier::kNone;
  double ratio = 1.0;  ///< 2 to the power of `Match::distance`.
  const Winner* winner = nullptr;
};

/// The winners that may answer a question, in the order in which `look_up` tries them. Whether their
/// configurations can run is not examined. The winners must outlive the result.
std::vector<RankedWinner> rank_winners(const std::vector<Winner>& winners, const Question& question);

/// Returns the best known configuration among winners of the same kernel hash and cache state.
/// The tiers, best first: same GPU and problem; same GPU and another problem; same compute capability; same
/// major version of it; any GPU. Within a tier the smallest distance wins, then a measured winner over a
/// replayed one. Then a winner of the user's database wins over one of the system's, then the smallest median
/// time. Imported winners follow all others, whatever their tier. Remaining ties are broken by the
/// order of GPU, problem and session, so the result is deterministic. If no winner is valid, `valid_row` is
/// called for each winner in the same order, and the first row that it returns is the answer. If there is no
/// such row, the default configuration is the answer, unless `strict` is set.
Match look_up(const std::vector<Winner>& winners, const Question& question);

}  // namespace warptune::db
