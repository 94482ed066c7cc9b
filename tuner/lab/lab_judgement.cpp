// Judges the claims of an experiment. A claim has an expression over the measured rows, which gives its
// value. It also has conditions on that value: `holds` and perhaps `weaker`. The verdict is "holds" if the
// first one is true, "partially holds" if only the second is, and otherwise "does not hold". A claim is
// undetermined if a row that it needs was not measured.
//
// Times are noisy, so each value has an interval. The bootstrap (Efron and Tibshirani, An Introduction to the
// Bootstrap, 1993) draws the time samples of every row with replacement and evaluates all claims again. The
// interval is bounded by the 2.5 and 97.5 percentiles of the resampled values, and includes the value itself.
// A verdict is certain if both bounds give the same verdict. The seed is fixed, so a result always gives the
// same judgement.
#include "tuner/lab/lab_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace warptune::tuner::lab {

using kernel_templates::Claim;
using kernel_templates::TextWithNumbers;

namespace {

constexpr int kResamples = 400;
constexpr std::uint64_t kSeed = 7;

std::string filled(const TextWithNumbers& text, const LabNumbers& numbers, double value) {
  std::string filled = text.texts.front();
  for (std::size_t i = 0; i < text.numbers.size(); ++i) {
    const auto number = numbers.evaluate(text.numbers[i].value, "value", value);
    if (!number) {
      filled += "(unknown)";
    } else if (text.numbers[i].format.empty()) {
      filled += lab_number(*number);
    } else {
      filled += fmt::format(fmt::runtime("{:" + text.numbers[i].format + "}"), *number);
    }
    filled += text.texts[i + 1];
  }
  return filled;
}

base::Result<LabVerdict> verdict_of(const Claim& claim, const LabNumbers& numbers, double value) {
  const auto holds = numbers.holds(claim.holds, value);
  if (!holds) return base::failure(holds.error());
  if (*holds) return LabVerdict::kHolds;
  if (!claim.weaker) return LabVerdict::kFails;
  const auto weaker = numbers.holds(*claim.weaker, value);
  if (!weaker) return base::failure(weaker.error());
  return *weaker ? LabVerdict::kPartial : LabVerdict::kFails;
}

const TextWithNumbers& because_of(const Claim& claim, LabVerdict verdict) {
  if (verdict == LabVerdict::kHolds) return claim.because_holds;
  return verdict == LabVerdict::kPartial ? claim.because_weaker : claim.because_fails;
}

// The resampled values of each claim, in ascending order.
std::vector<std::vector<double>> resampled(const std::vector<Claim>& claims, const LabResult& result) {
  LabNumbers numbers(result);
  base::Random random(kSeed);
  std::vector<std::vector<double>> values(claims.size());
  for (int i = 0; i < kResamples; ++i) {
    numbers.resample(random);
    for (std::size_t claim = 0; claim < claims.size(); ++claim) {
      const auto value = numbers.evaluate(claims[claim].value);
      if (value) values[claim].push_back(*value);
    }
  }
  for (std::vector<double>& one : values) std::sort(one.begin(), one.end());
  return values;
}

// `values` are the resampled values of the claim, in ascending order.
JudgedClaim judged(const Claim& claim, const LabNumbers& numbers, const std::vector<double>& values) {
  JudgedClaim judged;
  judged.claim = &claim;
  for (const kernel_templates::Evidence& evidence : claim.evidence) {
    JudgedEvidence& made = judged.evidence.emplace_back();
    made.text = evidence.text;
    made.labels = evidence.labels;
    for (const model::Expression& expression : evidence.values) {
      const auto value = numbers.evaluate(expression);
      made.values.push_back(value ? std::optional<double>(*value) : std::nullopt);
    }
  }
  const auto value = numbers.evaluate(claim.value);
  const auto verdict =
      value ? verdict_of(claim, numbers, *value) : base::Result<LabVerdict>(LabVerdict::kUnknown);
  if (!value || !verdict) {
    judged.because = value ? verdict.error() : value.error();
    return judged;
  }
  judged.value = judged.low = judged.high = *value;
  judged.verdict = *verdict;
  judged.because = filled(because_of(claim, *verdict), numbers, *value);
  if (!values.empty()) {
    judged.low =
        std::min(*value, values[static_cast<std::size_t>(0.025 * static_cast<double>(values.size()))]);
    judged.high =
        std::max(*value, values[static_cast<std::size_t>(0.975 * static_cast<double>(values.size()))]);
  }
  for (const double bound : {judged.low, judged.high}) {
    const auto other = verdict_of(claim, numbers, bound);
    judged.is_certain = judged.is_certain && other && *other == *verdict;
  }
  return judged;
}

JudgedTheory judged(const kernel_templates::TheoryRow& row, const LabNumbers& numbers) {
  JudgedTheory judged;
  judged.row = &row;
  const auto expected = numbers.evaluate(row.expected);
  const auto value = numbers.evaluate(row.value);
  if (!value || !expected) {
    judged.problem = value ? expected.error() : value.error();
    return judged;
  }
  judged.value = *value;
  judged.expected = *expected;
  const double scale = *expected == 0.0 ? 1.0 : std::abs(*expected);
  judged.within = std::abs(*value - *expected) <= row.tolerance * scale;
  return judged;
}

}  // namespace

std::string_view to_string(LabVerdict verdict) {
  switch (verdict) {
    case LabVerdict::kHolds:
      return "holds";
    case LabVerdict::kPartial:
      return "partially holds";
    case LabVerdict::kFails:
      return "does not hold on this GPU";
    default:
      return "undetermined";
  }
}

std::size_t LabJudgement::count(LabVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      claims.begin(), claims.end(), [&](const JudgedClaim& claim) { return claim.verdict == verdict; }));
}

std::size_t LabJudgement::theory_measured() const {
  return static_cast<std::size_t>(std::count_if(
      theory.begin(), theory.end(), [](const JudgedTheory& row) { return row.value.has_value(); }));
}

std::size_t LabJudgement::theory_within() const {
  return static_cast<std::size_t>(
      std::count_if(theory.begin(), theory.end(), [](const JudgedTheory& row) { return row.within; }));
}

LabJudgement judge(const LabResult& result) {
  const LabNumbers numbers(result);
  LabJudgement judgement;
  const std::vector<Claim>& claims = result.plan.experiment.claims;
  const std::vector<std::vector<double>> values = resampled(claims, result);
  for (std::size_t i = 0; i < claims.size(); ++i)
    judgement.claims.push_back(judged(claims[i], numbers, values[i]));
  for (const kernel_templates::TheoryRow& row : result.plan.experiment.theory)
    judgement.theory.push_back(judged(row, numbers));
  return judgement;
}

}  // namespace warptune::tuner::lab
