#include "model/outputs/reproducibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/own_metrics.h"

namespace warptune::model::outputs {

namespace {

using Kind = ReproducibilityVerdict::Kind;
using Demand = Reproducibility::Demand;

// The words for errors in the option, and the metrics that they mean.
constexpr std::array<std::pair<std::string_view, const char*>, 3> kErrors = {
    {{"absolute", own_metric::kErrorMaxAbsolute},
     {"relative", own_metric::kErrorMaxRelative},
     {"ulp", own_metric::kErrorMaxUlp}}};

std::optional<double> number_of(std::string_view text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || !std::isfinite(number) || number < 0.0) return std::nullopt;
  return number;
}

std::optional<double> value_of(const Measurement& row, const char* metric) {
  const auto found = row.counters.find(metric);
  return found == row.counters.end() || std::isnan(found->second) ? std::nullopt
                                                                  : std::optional(found->second);
}

// A number of launches: 0 if it is not there, and std::nullopt if its value is impossible.
std::optional<double> count_of(const Measurement& row, const char* metric) {
  const auto found = row.counters.find(metric);
  if (found == row.counters.end()) return 0.0;
  return is_exact_count(found->second) ? std::optional(found->second) : std::nullopt;
}

// Launches of one row in the final rounds and in the confirmation are compared separately: they may have
// other inputs.
ReproducibilityVerdict judge_runs(const Measurement& row) {
  const std::optional<double> compared = count_of(row, own_metric::kComparedLaunches);
  const std::optional<double> confirming = count_of(row, own_metric::kVerifiedLaunches);
  const std::optional<double> differing_in_finals = count_of(row, own_metric::kDifferingLaunches);
  const std::optional<double> deviating = count_of(row, own_metric::kDeviatingLaunches);
  if (!compared || !confirming || !differing_in_finals || !deviating)
    return {Kind::kUnknown, "the number of its launches is damaged"};
  const double launches = *compared + *confirming;
  const double differing = *differing_in_finals + *deviating;
  if (!(launches > 0.0)) return {Kind::kUnknown, "its launches were not compared"};
  const std::string all = base::counted(static_cast<std::uint64_t>(launches), "launch", "launches");
  if (differing > 0.0) return {Kind::kUnmet, fmt::format("gave other bits in {:.0f} of {}", differing, all)};
  return {Kind::kMet, fmt::format("gave the same bits in {}", all)};
}

ReproducibilityVerdict judge_bits(const Measurement& row, const Measurement* usual) {
  ReproducibilityVerdict runs = judge_runs(row);
  if (runs.kind == Kind::kUnmet) return runs;
  const std::optional<double> outputs = value_of(row, own_metric::kOutputDigest);
  if (!outputs) return {Kind::kUnknown, "the digest of its outputs is not known"};
  if (usual == nullptr || usual->source != RowSource::kMeasured || usual->status != Status::kMeasured)
    return {Kind::kUnknown, "no row of the default is there to compare with"};
  const std::optional<double> wanted = value_of(*usual, own_metric::kOutputDigest);
  if (!wanted) return {Kind::kUnknown, "the digest of the default's outputs is not known"};
  if (value_of(row, own_metric::kInputDigest) != value_of(*usual, own_metric::kInputDigest))
    return {Kind::kUnknown, "it and the default had other inputs"};
  if (judge_runs(*usual).kind == Kind::kUnmet)
    return {Kind::kUnmet, "cannot have the bits of the default, whose own launches differ"};
  if (outputs != wanted) return {Kind::kUnmet, "gives other bits than the default"};
  return {runs.kind, runs.reason + ", and those of the default"};
}

ReproducibilityVerdict judge_error(const Reproducibility& demanded, const Measurement& row) {
  const std::optional<double> error = value_of(row, demanded.metric.c_str());
  if (!error) return {Kind::kUnknown, fmt::format("its {} was not measured", demanded.metric)};
  const bool is_within = *error <= demanded.maximum;
  return {is_within ? Kind::kMet : Kind::kUnmet, fmt::format("has {} {:.3g}", demanded.metric, *error)};
}

}  // namespace

Reproducibility Reproducibility::parse(std::string_view text) {
  Reproducibility read;
  if (text.empty() || text == "bits") return read;
  read.text = text;
  if (text == "runs") {
    read.demand = Demand::kRuns;
    return read;
  }
  const std::size_t sign = std::min(text.find('='), text.size());
  const auto* const error = std::find_if(kErrors.begin(), kErrors.end(),
                                         [&](const auto& one) { return one.first == text.substr(0, sign); });
  const std::optional<double> maximum =
      error != kErrors.end() && sign < text.size() ? number_of(text.substr(sign + 1)) : std::nullopt;
  if (!maximum) {
    throw base::InputError(
        fmt::format("--reproducible={}: expected {}, where X is a number of at least 0, for example "
                    "relative=1e-5",
                    text, kReproducibilityForms));
  }
  read.demand = Demand::kError;
  read.metric = error->second;
  read.maximum = *maximum;
  return read;
}

std::string Reproducibility::sentence() const {
  switch (demand) {
    case Demand::kRuns:
      return "gives the same bits in each launch";
    case Demand::kBits:
      return "gives the bits of the default in each launch";
    case Demand::kError:
      break;
  }
  return fmt::format("has {} of at most {}", metric, maximum);
}

std::vector<std::string> Reproducibility::evidence() const {
  switch (demand) {
    case Demand::kRuns:
      return {own_metric::kComparedLaunches, own_metric::kVerifiedLaunches};
    case Demand::kBits:
      return {own_metric::kOutputDigest};
    case Demand::kError:
      break;
  }
  return {metric};
}

ReproducibilityVerdict judge(const Reproducibility& demanded, const Measurement& row,
                             const Measurement* usual) {
  if (row.source != RowSource::kMeasured)
    return {Kind::kUnknown, fmt::format("it was {}, not measured", to_string(row.source))};
  switch (demanded.demand) {
    case Demand::kRuns:
      return judge_runs(row);
    case Demand::kBits:
      return judge_bits(row, usual);
    case Demand::kError:
      break;
  }
  return judge_error(demanded, row);
}

bool had_same_inputs(const Measurement& a, const Measurement& b) {
  const std::optional<double> inputs = value_of(a, own_metric::kInputDigest);
  return inputs && inputs == value_of(b, own_metric::kInputDigest);
}

bool give_other_bits(const Measurement& a, const Measurement& b) {
  const std::optional<double> outputs = value_of(a, own_metric::kOutputDigest);
  return outputs && had_same_inputs(a, b) &&
         value_of(b, own_metric::kOutputDigest).value_or(*outputs) != *outputs;
}

const std::vector<std::string>& output_bit_metrics() {
  static const std::vector<std::string> metrics = {own_metric::kInputDigest, own_metric::kOutputDigest,
                                                   own_metric::kComparedLaunches,
                                                   own_metric::kDifferingLaunches};
  return metrics;
}

bool is_exact_count(double value) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  return value >= 0.0 && value <= kMaxExact && std::trunc(value) == value;
}

bool is_digest(std::string_view metric) {
  return metric == own_metric::kInputDigest || metric == own_metric::kOutputDigest;
}

}  // namespace warptune::model::outputs
