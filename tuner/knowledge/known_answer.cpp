#include "tuner/knowledge/known_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {

namespace {

// A result at another size says something about a recommendation up to this product of the sizes' ratios.
constexpr double kMaxRatioOfEvidence = 1.1;
// What a recommendation must have lost there. Times of dropped configurations are estimates, and the number
// of waves can make as much as 1.45 between 1401^3 and 1501^3 (sgemm on an H200).
constexpr double kRefutingLoss = 0.5;

// The arguments must outlive the question.
db::Question question_of(const kernel_templates::KernelInstance& instance, const AnswerSource& source,
                         const AnswerRequest& request) {
  db::Question question{instance.definition().name,
                        instance.definition().hash,
                        instance.problem(),
                        instance.gpu(),
                        instance.declared_default(),
                        request.strict,
                        {},
                        request.cache};
  question.valid = [&instance](const model::NamedValues& configuration, const model::Measurement& evidence) {
    return !why_invalid_for(instance, configuration, evidence);
  };
  if (source.valid_row) {
    question.valid_row = [&instance, &source](const db::Winner& winner) {
      return source.valid_row(instance, winner);
    };
  }
  return question;
}

base::WorkError nothing_known(const AnswerRequest& request, const db::Question& question,
                              const std::string& why) {
  return base::WorkError(fmt::format("nothing is known of {} {} on {} from {}: {}; run `{}`", question.kernel,
                                     model::to_text(question.problem), question.gpu.name,
                                     model::l2_text(request.cache), why,
                                     tune_command(request.kernel, question.problem, request.cache)));
}

// Explains an answer that is not a winner. A default that cannot run is replaced by the nearest configuration
// that can.
std::string explain_match(db::Match& match, const kernel_templates::KernelInstance& instance,
                          const std::string& why) {
  if (match.refused) {
    return fmt::format("the best of those that can run here; the best of all cannot: {}",
                       why_invalid_for(instance, match.refused->configuration, *match.refused).value_or(""));
  }
  if (match.tier != db::MatchTier::kDefault) return "";
  std::string reason = fmt::format("the definition's default, because {}", why);
  const std::optional<std::string> fault = why_invalid_for(instance, match.configuration, {});
  if (!fault) return reason;
  const std::optional<model::NamedValues> near = nearest_valid(instance);
  if (!near) {
    throw base::WorkError(fmt::format("no configuration of {} can run for {} on {}; the default cannot: {}",
                                      instance.definition().name, model::to_text(instance.problem()),
                                      instance.gpu().name, *fault));
  }
  match.configuration = *near;
  return fmt::format("{}; changed where it cannot run here: {}", reason, *fault);
}

// The recommended configuration, if it fits better than a match of another problem or GPU.
std::optional<KnownAnswer> recommended_answer(const kernel_templates::KernelInstance& instance,
                                              const db::Match& match, const std::string& why) {
  if (match.tier == db::MatchTier::kExact) return std::nullopt;
  const bool is_alike = match.winner && instance.is_recommended_alike(match.winner->workload.problem,
                                                                      match.winner->workload.gpu);
  if (is_alike && std::exp2(match.distance) <= db::kMaxRatioBesideRecommended) return std::nullopt;
  const model::NamedValues recommended = instance.recommended_configuration();
  if (recommended.empty()) return std::nullopt;
  KnownAnswer answer{{db::MatchTier::kRecommended, {}, recommended}, ""};
  answer.reason = "what the definition recommends for this size and GPU";
  if (!match.winner) {
    answer.reason += ", because " + why;
    return answer;
  }
  const std::string nearest =
      fmt::format("the nearest winner ({} on {})", model::to_text(match.winner->workload.problem),
                  match.winner->workload.gpu.name);
  answer.reason +=
      is_alike ? fmt::format(
                     "; {} is far away: the ratios of the sizes multiply to {:.3g}, which is more than {:g}",
                     nearest, std::exp2(match.distance), db::kMaxRatioBesideRecommended)
               : fmt::format("; for {}, another recommendation holds, or none", nearest);
  return answer;
}

// Why the nearest winner answers although another configuration is recommended: that one was measured beside
// it, at nearly this size.
std::optional<std::string> why_not_recommended(const kernel_templates::KernelInstance& instance,
                                               const AnswerSource& source, const db::Match& match) {
  if (match.tier != db::MatchTier::kNearProblem || !source.loss) return std::nullopt;
  if (std::exp2(match.distance) > kMaxRatioOfEvidence) return std::nullopt;
  const model::NamedValues recommended = instance.recommended_configuration();
  const model::Workload& near = match.winner->workload;
  if (recommended.empty() || !instance.is_of_same_kind(near.problem, near.gpu)) return std::nullopt;
  const std::optional<double> loss = source.loss(*match.winner, recommended);
  if (!loss || *loss < kRefutingLoss) return std::nullopt;
  return fmt::format(
      "the nearest winner: at its size, what the definition recommends here takes {:.2f} times as long",
      1.0 + *loss);
}

// The answer of a cover, as a row of the nearest size at which the cover measured it.
std::optional<KnownAnswer> covered_answer(const kernel_templates::KernelInstance& instance,
                                          const AnswerSource& source, const AnswerRequest& request,
                                          const covers::CoverAnswer& covered) {
  if (why_invalid_for(instance, covered.configuration, covered.row)) return std::nullopt;
  model::Workload asked = workload_of(instance, request.cache);
  asked.problem = covered.problem;
  for (const db::Winner& winner : source.winners) {
    if (!is_same_workload(winner.workload, asked)) continue;
    KnownAnswer answer{{db::MatchTier::kNearProblem, winner, covered.configuration}, covered.reason};
    answer.match.winner->best = covered.row;
    answer.match.winner->environment = covered.environment;
    answer.match.winner->session_id = covered.session_id;
    answer.match.distance = covered.distance;
    return answer;
  }
  return std::nullopt;
}

}  // namespace

AnswerSource source_of(const db::Store& store, const kernel_templates::KernelDefinition& definition,
                       const model::Objective& objective) {
  AnswerSource source;
  source.winners = store.winners(definition.name, definition.hash, objective);
  source.all_versions = [&store, name = definition.name] { return store.winners(name, ""); };
  source.valid_row = [&store, objective](const kernel_templates::KernelInstance& instance,
                                         const db::Winner& winner) {
    return valid_row_for(instance, store, winner.workload, objective);
  };
  source.loss = [&store, objective](const db::Winner& winner, const model::NamedValues& configuration) {
    return measured_loss(configuration, winner, objective, store);
  };
  if (objective.is_time()) {
    source.covered = [&store, definition](const model::Workload& workload) {
      return covers::covered_answer(store, workload, definition);
    };
  }
  return source;
}

KnownAnswer known_answer(const kernel_templates::KernelInstance& instance, const AnswerSource& source,
                         const AnswerRequest& request) {
  const db::Question question = question_of(instance, source, request);
  KnownAnswer answer{db::look_up(source.winners, question), ""};
  std::optional<covers::CoverAnswer> covered;
  if (answer.match.tier != db::MatchTier::kExact && source.covered && !request.strict)
    covered = source.covered(workload_of(instance, request.cache));
  if (covered && !covered->configuration.empty()) {
    if (std::optional<KnownAnswer> known = covered_answer(instance, source, request, *covered))
      return *std::move(known);
  }
  const std::string why =
      answer.match.winner ? "" : why_nothing_fits(source.all_versions(), question, instance);
  const std::optional<std::string> refuted =
      request.recommends ? why_not_recommended(instance, source, answer.match) : std::nullopt;
  if (!request.strict && request.recommends && !refuted) {
    if (std::optional<KnownAnswer> recommended = recommended_answer(instance, answer.match, why))
      return *std::move(recommended);
  }
  if (answer.match.tier == db::MatchTier::kNone) throw nothing_known(request, question, why);
  answer.reason = explain_match(answer.match, instance, why);
  if (refuted) answer.reason += (answer.reason.empty() ? "" : "; ") + *refuted;
  if (answer.reason.empty() && covered && covered->configuration.empty()) answer.reason = covered->reason;
  return answer;
}

}  // namespace warptune::tuner::knowledge
