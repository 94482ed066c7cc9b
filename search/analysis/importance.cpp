// Divides the variance of a response among parameters by two least-squares fits.
//
// The first fit approximates the response by a sum of functions of one parameter each. Such a function has a
// value (a cell) for each value of its parameter. The share of a parameter is the covariance of its function
// with the response, divided by the variance (Li et al. 2010). These shares add up to the explained variance.
// The second fit does the same to the residual with functions of two parameters. It includes only the pairs
// that explain most of the residual by themselves.
//
// Under constraints the functions are correlated, so they must be fitted together. The means of the cells,
// which are the classical analysis of variance, would count a shared effect several times. The fit needs no
// model matrix: it only adds values over cells, at a cost of rows times terms for each iteration.
#include "search/analysis/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune::search::analysis {

namespace {

constexpr std::size_t kMaxPairs = 12;
constexpr double kMinPairShare = 1e-3;  // A pair must explain this share of the response's variance.
constexpr int kMaxIterations = 200;
constexpr double kTolerance = 1e-12;  // A share of the initial squared gradient.

// A function of one or two parameters. It has a cell for each combination of their values.
struct Term {
  std::size_t first = 0;
  std::size_t second = 0;              // Equal to `first` in a term of one parameter.
  std::vector<std::uint32_t> cell_of;  // The cell of each configuration.
  std::size_t cells = 0;
};

Term term_of(const std::vector<model::Parameter>& parameters,
             const std::vector<model::Configuration>& configurations, std::size_t first, std::size_t second) {
  Term term{first, second, std::vector<std::uint32_t>(configurations.size()), 0};
  const std::size_t width = first == second ? 1 : parameters[second].values.size();
  term.cells = parameters[first].values.size() * width;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::uint32_t inner = first == second ? 0 : configurations[i][second];
    term.cell_of[i] = static_cast<std::uint32_t>(configurations[i][first] * width + inner);
  }
  return term;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The sum of terms that is nearest to a response in least squares. Conjugate gradients solve the normal
// equations, with each cell scaled by the root of its count. They begin at zero and therefore converge to the
// solution of minimum norm. That solution divides an effect evenly among terms that are indistinguishable.
class TermFit {
 public:
  TermFit(const std::vector<Term>& terms, std::span<const double> response) : terms_(terms) {
    for (const Term& term : terms) {
      begins_.push_back(size_);
      size_ += term.cells;
    }
    scales_.assign(size_, 0.0);
    for_each_cell([&](std::size_t, std::size_t cell) { scales_[cell] += 1.0; });
    for (double& scale : scales_) scale = scale > 0.0 ? 1.0 / std::sqrt(scale) : 0.0;
    solve(response);
  }

  // The values of a term for all configurations.
  std::vector<double> values(std::size_t term) const {
    const std::vector<std::uint32_t>& cells = terms_[term].cell_of;
    std::vector<double> values(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t cell = begins_[term] + cells[i];
      values[i] = scales_[cell] * solution_[cell];
    }
    return values;
  }

 private:
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const std::vector<std::uint32_t>& cells = terms_[t].cell_of;
      for (std::size_t i = 0; i < cells.size(); ++i) visit(i, begins_[t] + cells[i]);
    }
  }
  std::vector<double> summed(const std::vector<double>& by_cell, std::size_t configurations) const {
    std::vector<double> sums(configurations, 0.0);
    for_each_cell([&](std::size_t i, std::size_t cell) { sums[i] += scales_[cell] * by_cell[cell]; });
    return sums;
  }
  std::vector<double> gathered(const std::vector<double>& by_configuration) const {
    std::vector<double> sums(size_, 0.0);
    for_each_cell(
        [&](std::size_t i, std::size_t cell) { sums[cell] += scales_[cell] * by_configuration[i]; });
    return sums;
  }

  // CGLS (Bjorck, Numerical Methods for Least Squares Problems, 1996, 7.4).
  void solve(std::span<const double> response) {
    solution_.assign(size_, 0.0);
    std::vector<double> residual(response.begin(), response.end());
    std::vector<double> gradient = gathered(residual);
    std::vector<double> direction = gradient;
    double squared = dot(gradient, gradient);
    const double enough = kTolerance * squared;
    for (int i = 0; i < kMaxIterations && squared > enough; ++i) {
      const std::vector<double> change = summed(direction, residual.size());
      const double step = squared / dot(change, change);
      for (std::size_t c = 0; c < size_; ++c) solution_[c] += step * direction[c];
      for (std::size_t r = 0; r < residual.size(); ++r) residual[r] -= step * change[r];
      gradient = gathered(residual);
      const double before = std::exchange(squared, dot(gradient, gradient));
      for (std::size_t c = 0; c < size_; ++c) direction[c] = gradient[c] + squared / before * direction[c];
    }
  }

  const std::vector<Term>& terms_;
  std::vector<std::size_t> begins_;
  std::size_t size_ = 0;
  std::vector<double> scales_;
  std::vector<double> solution_;
};

// The share of the response's sum of squares that the means of a term's cells explain. The share that as many
// cells would explain of pure noise is subtracted.
double explained_share(const Term& term, std::span<const double> response, double total) {
  std::vector<double> sums(term.cells, 0.0);
  std::vector<std::size_t> counts(term.cells, 0);
  for (std::size_t i = 0; i < response.size(); ++i) {
    sums[term.cell_of[i]] += response[i];
    ++counts[term.cell_of[i]];
  }
  double explained = 0.0;
  std::size_t used = 0;
  for (std::size_t cell = 0; cell < term.cells; ++cell) {
    if (counts[cell] == 0) continue;
    explained += sums[cell] * sums[cell] / static_cast<double>(counts[cell]);
    ++used;
  }
  if (response.size() <= used) return 0.0;
  const double noise = (total - explained) / static_cast<double>(response.size() - used);
  return (explained - static_cast<double>(used - 1) * noise) / total;
}

// The pairs that explain the largest shares of the residual, each by itself.
std::vector<Term> strongest_pairs(const std::vector<model::Parameter>& parameters,
                                  const std::vector<model::Configuration>& configurations,
                                  std::span<const double> residual, double minimum) {
  const double total = dot(residual, residual);
  std::vector<std::pair<double, Term>> found;
  for (std::size_t first = 0; total > 0.0 && first < parameters.size(); ++first) {
    for (std::size_t second = first + 1; second < parameters.size(); ++second) {
      if (parameters[first].values.size() < 2 || parameters[second].values.size() < 2) continue;
      Term term = term_of(parameters, configurations, first, second);
      const double share = explained_share(term, residual, total);
      if (!(share * total > minimum)) continue;
      found.emplace_back(share, std::move(term));
      std::push_heap(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
      if (found.size() <= kMaxPairs) continue;
      std::pop_heap(found.begin(), found.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
      found.pop_back();
    }
  }
  std::vector<Term> terms;
  terms.reserve(found.size());
  for (auto& [share, term] : found) terms.push_back(std::move(term));
  return terms;
}

}  // namespace

Importance importance_of(const std::vector<model::Parameter>& parameters,
                         const std::vector<model::Configuration>& configurations,
                         std::span<const double> responses) {
  Importance importance;
  importance.configurations = configurations.size();
  importance.by_parameter.assign(parameters.size(), 0.0);
  if (configurations.empty()) return importance;
  const double mean = mean_of(responses);
  std::vector<double> residual(responses.begin(), responses.end());
  for (double& value : residual) value -= mean;
  const std::vector<double> centred = residual;
  const double total = dot(centred, centred);
  importance.variance = total / static_cast<double>(responses.size());
  // A smaller variance is only rounding errors.
  if (!(importance.variance > 1e-24 * std::max(1.0, mean * mean))) return importance;

  std::vector<Term> terms;
  terms.reserve(parameters.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].values.size() > 1) terms.push_back(term_of(parameters, configurations, p, p));
  }
  const TermFit single_fit(terms, centred);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::vector<double> values = single_fit.values(t);
    importance.by_parameter[terms[t].first] = dot(values, centred) / total;
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= values[i];
  }
  const double unexplained = dot(residual, residual);
  const std::vector<Term> pairs =
      strongest_pairs(parameters, configurations, residual, kMinPairShare * total);
  const TermFit pair_fit(pairs, residual);
  double by_pairs = 0.0;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    const double share = dot(pair_fit.values(t), residual) / total;
    importance.pairs.push_back({pairs[t].first, pairs[t].second, share});
    by_pairs += share;
  }
  std::sort(importance.pairs.begin(), importance.pairs.end(),
            [](const PairShare& a, const PairShare& b) { return a.share > b.share; });
  importance.rest = unexplained / total - by_pairs;
  return importance;
}

}  // namespace warptune::search::analysis
