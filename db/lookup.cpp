// Finds the best known configuration for a question.
//
// Winners of another kernel hash or cache state are ignored. The others get a tier from their GPU and their
// problem. Imported winners follow all others. Within these two
// groups they are sorted by tier, then by distance of the problems, then by source, then by database (the
// user's before the system's), then by time. The first one that is
// valid for the asked problem and GPU is the answer. If no winner is valid, the other rows of their workloads
// are searched in the same order. The distance is compared as a ratio, without a logarithm
// (storage/size_ratio.h). `select` of the exported header (formats/cpp_header/header_text.cpp) follows the
// same rules for measured winners, so both choose the same winner. The header has only winners, so it cannot
// search other rows, and it does not know their sources.
#include "db/lookup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "db/storage/size_ratio.h"

namespace warptune::db {

namespace {

MatchTier tier_of(const model::GpuDescription& stored, const model::GpuDescription& asked, double ratio) {
  if (stored.key() == asked.key()) return ratio == 1.0 ? MatchTier::kExact : MatchTier::kNearProblem;
  if (stored.compute_major != asked.compute_major) return MatchTier::kPortable;
  return stored.compute_minor == asked.compute_minor ? MatchTier::kSameCapability : MatchTier::kSameMajor;
}

bool is_better(const RankedWinner& a, const RankedWinner& b) {
  const bool a_imported = a.winner->best.source == model::RowSource::kImported;
  const bool b_imported = b.winner->best.source == model::RowSource::kImported;
  if (a_imported != b_imported) return b_imported;
  if (a.tier != b.tier) return a.tier < b.tier;
  if (a.ratio != b.ratio) return a.ratio < b.ratio;
  if (a.winner->best.source != b.winner->best.source) return a.winner->best.source < b.winner->best.source;
  if (a.winner->of_system != b.winner->of_system) return b.winner->of_system;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double a_ns = model::median_ns_of(a.winner->best).value_or(kInfinity);
  const double b_ns = model::median_ns_of(b.winner->best).value_or(kInfinity);
  if (a_ns != b_ns) return a_ns < b_ns;
  const auto tie_breaker = [](const Winner& winner) {
    return std::tuple(winner.workload.gpu.name, winner.workload.gpu.key(),
                      model::key_of(winner.workload.problem), winner.session_id);
  };
  return tie_breaker(*a.winner) < tie_breaker(*b.winner);
}

}  // namespace

std::string_view to_string(MatchTier tier) {
  switch (tier) {
    case MatchTier::kExact:
      return "exact";
    case MatchTier::kNearProblem:
      return "near_problem";
    case MatchTier::kSameCapability:
      return "same_cc";
    case MatchTier::kSameMajor:
      return "same_major";
    case MatchTier::kPortable:
      return "portable";
    case MatchTier::kRecommended:
      return "recommended";
    case MatchTier::kDefault:
      return "default";
    case MatchTier::kNone:
      break;
  }
  return "none";
}

std::vector<RankedWinner> rank_winners(const std::vector<Winner>& winners, const Question& question) {
  std::vector<RankedWinner> candidates;
  for (const Winner& winner : winners) {
    if (winner.workload.kernel_hash != question.kernel_hash) continue;
    if (winner.workload.cache != question.cache) continue;
    if (winner.best.status != model::Status::kMeasured) continue;
    const double ratio = storage::size_ratio(question.problem, winner.workload.problem);
    if (!(ratio > 0.0)) continue;
    const MatchTier tier = tier_of(winner.workload.gpu, question.gpu, ratio);
    if (question.strict && tier != MatchTier::kExact) continue;
    candidates.push_back({tier, ratio, &winner});
  }
  std::sort(candidates.begin(), candidates.end(), is_better);
  return candidates;
}

Question question_about(const model::Workload& workload) {
  Question question;
  question.kernel = workload.kernel;
  question.kernel_hash = workload.kernel_hash;
  question.problem = workload.problem;
  question.gpu = workload.gpu;
  question.cache = workload.cache;
  return question;
}

bool are_comparable(const model::NamedValues& asked, const model::NamedValues& stored) {
  return storage::size_ratio(asked, stored) > 0.0;
}

Match look_up(const std::vector<Winner>& winners, const Question& question) {
  const std::vector<RankedWinner> candidates = rank_winners(winners, question);
  for (const RankedWinner& candidate : candidates) {
    const model::Measurement& best = candidate.winner->best;
    if (question.valid && !question.valid(best.configuration, best)) continue;
    return {candidate.tier, *candidate.winner, best.configuration, std::log2(candidate.ratio), {}};
  }
  for (const RankedWinner& candidate : candidates) {
    std::optional<model::Measurement> row =
        question.valid_row ? question.valid_row(*candidate.winner) : std::nullopt;
    if (!row) continue;
    Match match{candidate.tier, *candidate.winner, row->configuration, std::log2(candidate.ratio),
                candidate.winner->best};
    match.winner->best = std::move(*row);
    return match;
  }
  Match match;
  if (!question.strict && !question.default_configuration.empty()) {
    match.tier = MatchTier::kDefault;
    match.configuration = question.default_configuration;
  }
  return match;
}

}  // namespace warptune::db
