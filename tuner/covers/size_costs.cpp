#include "tuner/covers/size_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace warptune::tuner::covers {

namespace {

using Row = std::vector<double>;

constexpr std::array<std::int64_t, 8> kSlots = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr std::array<std::int64_t, 4> kUnits = {2, 4, 8, 16};
constexpr std::size_t kMaxMisalignments = 3;
constexpr double kMisalignmentGain = 0.04;  // The share of the errors that one must remove.
constexpr double kMinGain = 1e-4;           // What one must remove for each time: 1 % of it, squared.
constexpr double kHalfWeightLoss = 0.2;     // A time with this loss (logarithm) has half the weight.
constexpr double kMinWeight = 0.02;         // The squares have it.
constexpr std::size_t kPlainTerms = 7;
constexpr int kMaxSweeps = 200;

// The terms at a size where the grid has so many blocks.
Row terms_of(const LaunchShape& shape, const CostForm& form, const Size& size, double blocks,
             std::int64_t slots) {
  const auto sms = static_cast<double>(shape.sm_count());
  const double waves = std::ceil(blocks / (sms * static_cast<double>(slots)));
  const double per_sm = blocks / sms;
  double inner = 1.0;
  for (const std::size_t e : shape.inner()) inner *= static_cast<double>(size[e]);
  double all = 1.0;
  for (const std::int64_t value : size) all *= static_cast<double>(value);
  Row row = {1.0, waves, waves * inner, per_sm, per_sm * inner, inner, all};
  for (const Misalignment& one : form.misalignments) {
    const double present = size[one.entry] % one.unit != 0 ? 1.0 : 0.0;
    row.insert(row.end(), {present, present * waves * inner, present * per_sm * inner});
  }
  return row;
}

double product(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Factors, none negative, with which the sums of each row come nearest to its goal: coordinate descent on the
// normal equations.
std::vector<double> least_squares(std::vector<Row> rows, const std::vector<double>& goals) {
  const std::size_t count = rows.front().size();
  std::vector<double> scales(count, 0.0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < count; ++i) scales[i] += row[i] * row[i];
  }
  for (double& scale : scales) scale = scale > 0.0 ? std::sqrt(scale) : 1.0;
  std::vector<Row> products(count, Row(count, 0.0));
  std::vector<double> aims(count, 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < count; ++i) rows[r][i] /= scales[i];
    for (std::size_t i = 0; i < count; ++i) {
      aims[i] += rows[r][i] * goals[r];
      for (std::size_t j = 0; j < count; ++j) products[i][j] += rows[r][i] * rows[r][j];
    }
  }
  std::vector<double> factors(count, 0.0);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double moved = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      if (products[i][i] == 0.0) continue;
      const double rest = aims[i] - product(products[i], factors);
      const double next = std::max(0.0, factors[i] + rest / products[i][i]);
      moved = std::max(moved, std::abs(next - factors[i]));
      factors[i] = next;
    }
    if (moved < 1e-5) break;
  }
  for (std::size_t i = 0; i < count; ++i) factors[i] /= scales[i];
  return factors;
}

double weight_of(double loss) {
  const double share = std::log1p(std::max(loss, 0.0)) / kHalfWeightLoss;
  return std::sqrt(1.0 / (1.0 + share * share) + kMinWeight);
}

// Names of entries as a product; "1" if there are none.
std::string product_text(const LaunchShape& shape, const std::vector<std::size_t>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const std::size_t e : entries) names.push_back(shape.names()[e]);
  return names.empty() ? "1" : fmt::format("{}", fmt::join(names, " * "));
}

// A real number: integers would be divided as such.
std::string real_text(double factor) {
  const std::string text = fmt::format("{:.4g}", factor);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// Adds `factor * term` to a sum. A factor of 0 adds no term.
void add_term(std::vector<std::string>& sum, double factor, const std::string& term) {
  if (factor > 0.0) sum.push_back(real_text(factor) + (term == "1" ? "" : " * " + term));
}

// Adds `(inner) * factor` to a sum, unless `inner` is empty.
void add_product(std::vector<std::string>& sum, const std::vector<std::string>& inner,
                 const std::string& factor) {
  if (inner.empty()) return;
  const std::string text = fmt::format("{}", fmt::join(inner, " + "));
  sum.push_back(fmt::format("{} * {}", inner.size() > 1 ? "(" + text + ")" : text, factor));
}

}  // namespace

std::optional<CostFit> fit_cost(const LaunchShape& shape, const CostForm& form,
                                const model::NamedValues& configuration, const std::vector<TimedSize>& timed,
                                std::optional<std::int64_t> slots) {
  if (timed.empty()) return std::nullopt;
  std::vector<double> blocks;
  std::vector<double> goals;
  for (const TimedSize& one : timed) {
    const std::optional<double> here = shape.blocks(configuration, one.size);
    if (!here) return std::nullopt;
    blocks.push_back(*here);
    goals.push_back(weight_of(one.loss));
  }
  std::optional<CostFit> best;
  for (const std::int64_t tried : kSlots) {
    if (slots && tried != *slots) continue;
    std::vector<Row> rows;
    for (std::size_t r = 0; r < timed.size(); ++r) {
      rows.push_back(terms_of(shape, form, timed[r].size, blocks[r], tried));
      for (double& term : rows.back()) term *= goals[r] / timed[r].time_us;
    }
    CostFit fit{{tried, least_squares(rows, goals)}};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double error = product(rows[r], fit.cost.factors) - goals[r];
      fit.error += error * error;
    }
    if (!best || fit.error < best->error) best = std::move(fit);
  }
  return best;
}

CostForm choose_form(const LaunchShape& shape, const std::vector<model::NamedValues>& configurations,
                     const std::vector<std::vector<TimedSize>>& timed) {
  std::vector<std::optional<std::int64_t>> slots;  // Those of the form without misalignments.
  const auto error_of = [&](const CostForm& form) {
    double sum = 0.0;
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      const bool is_first = slots.size() == c;
      const std::optional<CostFit> fit =
          fit_cost(shape, form, configurations[c], timed[c], is_first ? std::nullopt : slots[c]);
      sum += fit ? fit->error : 0.0;
      if (is_first) slots.push_back(fit ? std::optional(fit->cost.slots) : std::nullopt);
    }
    return sum;
  };
  double times = 0.0;
  for (const auto& one : timed) times += static_cast<double>(one.size());
  CostForm form;
  double error = error_of(form);
  while (form.misalignments.size() < kMaxMisalignments) {
    std::optional<Misalignment> best;
    double least = std::min((1.0 - kMisalignmentGain) * error, error - kMinGain * times);
    for (std::size_t e = 0; e < shape.names().size(); ++e) {
      for (const std::int64_t unit : kUnits) {
        CostForm tried = form;
        tried.misalignments.push_back({e, unit});
        const double reached = error_of(tried);
        if (reached < least) {
          least = reached;
          best = {e, unit};
        }
      }
    }
    if (!best) break;
    form.misalignments.push_back(*best);
    error = least;
  }
  return form;
}

std::optional<double> cost_at(const LaunchShape& shape, const CostForm& form,
                              const model::NamedValues& configuration, const SizeCost& cost,
                              const Size& size) {
  const std::optional<double> blocks = shape.blocks(configuration, size);
  if (!blocks) return std::nullopt;
  return product(terms_of(shape, form, size, *blocks, cost.slots), cost.factors);
}

std::string cost_text(const LaunchShape& shape, const CostForm& form, const model::NamedValues& configuration,
                      const SizeCost& cost) {
  const std::string blocks = shape.blocks_text(configuration);
  const std::string per_wave =
      cost.slots == 1 ? "device_sm_count" : fmt::format("{} * device_sm_count", cost.slots);
  const std::string waves = fmt::format("ceil_div({}, {})", blocks, per_wave);
  const std::string per_sm = fmt::format("{} / device_sm_count", blocks);
  const std::string inner = product_text(shape, shape.inner());
  std::vector<std::size_t> every(shape.names().size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  const std::vector<double>& f = cost.factors;
  std::vector<std::string> sum;
  std::vector<std::string> in_wave;
  std::vector<std::string> in_sm;
  add_term(sum, f[0], "1");
  add_term(in_wave, f[1], "1");
  add_term(in_wave, f[2], inner);
  add_term(in_sm, f[3], "1");
  add_term(in_sm, f[4], inner);
  add_product(sum, in_wave, waves);
  add_product(sum, in_sm, per_sm);
  add_term(sum, f[5], inner);
  add_term(sum, f[6], product_text(shape, every));
  for (std::size_t m = 0; m < form.misalignments.size(); ++m) {
    const Misalignment& one = form.misalignments[m];
    const std::size_t at = kPlainTerms + 3 * m;
    std::vector<std::string> more;
    add_term(more, f[at], "1");
    add_term(more, f[at + 1], inner == "1" ? waves : fmt::format("{} * {}", inner, waves));
    add_term(more, f[at + 2], inner == "1" ? per_sm : fmt::format("{} * {}", inner, per_sm));
    if (!more.empty())
      sum.push_back(fmt::format("({} % {} != 0 ? {} : 0.0)", shape.names()[one.entry], one.unit,
                                fmt::join(more, " + ")));
  }
  return sum.empty() ? "0.0" : fmt::format("{}", fmt::join(sum, " + "));
}

}  // namespace warptune::tuner::covers
