// Grows regression trees on bootstrap samples and averages them (Breiman 2001).
//
// A split divides the values of one parameter into two sets. The sum of squares within the two sides is
// smallest if the sum of (sum of responses)^2 / count over the sides is greatest. This score needs only a sum
// and a count for each value, so a parameter costs one pass over the rows of the node and one over its
// values. A node stores its split as a table of one byte for each value.
//
// The out-of-bag error uses for each row only the trees whose sample lacks that row. It is therefore an
// estimate for new rows without a separate test set.
#include "search/models/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/random.h"
#include "model/median.h"

namespace warptune::search::models {

namespace {

constexpr double kMinGain = 1e-12;  // A share of the sum of squares. A smaller gain is a rounding error.

// The values of a parameter in ascending order. Texts keep the order of the list; each split sorts them
// again.
std::vector<std::uint32_t> order_of(const model::Parameter& parameter) {
  std::vector<std::uint32_t> order(parameter.values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return model::to_number(parameter.values[a]).value_or(0.0) <
           model::to_number(parameter.values[b]).value_or(0.0);
  });
  return order;
}

struct Split {
  double score = 0.0;  // The sum of (sum of responses)^2 / count over both sides; greater is better.
  std::size_t parameter = 0;
  std::vector<std::uint32_t> left;  // The values that go to the left child.
};

}  // namespace

class TreeGrower {
 public:
  TreeGrower(Forest& forest, const std::vector<model::Parameter>& parameters,
             const std::vector<model::Configuration>& configurations, std::span<const double> responses,
             const ForestOptions& options)
      : forest_(forest),
        configurations_(configurations),
        responses_(responses),
        minimum_(std::max<std::size_t>(options.min_in_leaf, 1)),
        random_(options.seed) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      orders_.push_back(order_of(parameters[p]));
      is_text_.push_back(!model::to_number(parameters[p].values.front()));
      if (parameters[p].values.size() > 1) varying_.push_back(p);
      std::vector<std::uint32_t>& column = columns_.emplace_back();
      column.reserve(configurations.size());
      for (const model::Configuration& configuration : configurations) column.push_back(configuration[p]);
      sums_.resize(std::max(sums_.size(), parameters[p].values.size()));
    }
    node_responses_.resize(configurations.size());
    const double wanted = std::ceil(options.share_of_parameters * static_cast<double>(varying_.size()));
    tried_ = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(wanted, 1.0)), 1,
                                     std::max<std::size_t>(varying_.size(), 1));
  }

  // Grows one tree. `in_bag` receives which rows its bootstrap sample contains.
  void grow(std::vector<bool>& in_bag) {
    const std::size_t count = configurations_.size();
    in_bag.assign(count, false);
    sample_.resize(count);
    for (std::uint32_t& row : sample_) {
      row = static_cast<std::uint32_t>(random_.below(count));
      in_bag[row] = true;
    }
    forest_.roots_.push_back(static_cast<std::uint32_t>(forest_.nodes_.size()));
    forest_.nodes_.emplace_back();
    struct Open {
      std::uint32_t node;
      std::size_t begin, end;
    };
    std::vector<Open> open = {{forest_.roots_.back(), 0, count}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      const std::size_t middle = divide(at.node, at.begin, at.end);
      if (middle == at.begin) continue;
      const std::uint32_t left = forest_.nodes_[at.node].left;
      open.push_back({left + 1, middle, at.end});
      open.push_back({left, at.begin, middle});
    }
  }

 private:
  struct ValueSum {
    double sum = 0.0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };

  // Splits the rows [begin, end) of a node. Returns the index of the first row on the right, or `begin` for a
  // leaf.
  std::size_t divide(std::uint32_t node, std::size_t begin, std::size_t end) {
    double sum = 0.0;
    double squares = 0.0;
    const std::uint32_t* const sample = sample_.data();
    const double* const responses = responses_.data();
    double* const node_responses = node_responses_.data();
    for (std::size_t i = begin; i < end; ++i) {
      const double response = responses[sample[i]];
      node_responses[i] = response;
      sum += response;
      squares += response * response;
    }
    const auto count = static_cast<double>(end - begin);
    forest_.nodes_[node].mean = sum / count;
    if (end - begin < 2 * minimum_) return begin;
    const double base = sum * sum / count;
    Split best;
    best.score = base + kMinGain * std::max(squares, 1e-300);
    for (std::size_t t = 0; t < tried_; ++t) {  // Draws parameters at random without replacement.
      std::swap(varying_[t], varying_[t + random_.below(varying_.size() - t)]);
      try_parameter(varying_[t], begin, end, sum, best);
    }
    if (best.left.empty()) return begin;
    return apply(node, begin, end, best);
  }

  // Whether all rows have the same value. This is frequent, because most nodes have few rows.
  static bool is_constant(const std::uint32_t* column, const std::uint32_t* row, const std::uint32_t* end) {
    const std::uint32_t value = column[*row];
    while (++row != end) {
      if (column[*row] != value) return false;
    }
    return true;
  }

  void try_parameter(std::size_t parameter, std::size_t begin, std::size_t end, double sum, Split& best) {
    const std::uint32_t* const column = columns_[parameter].data();
    const std::uint32_t* const sample = sample_.data();
    if (is_constant(column, sample + begin, sample + end)) return;
    const std::vector<std::uint32_t>& order = orders_[parameter];
    ValueSum* const sums = sums_.data();
    std::fill_n(sums, order.size(), ValueSum{});
    const double* const node_responses = node_responses_.data();
    for (std::size_t i = begin; i < end; ++i) {
      ValueSum& of_value = sums[column[sample[i]]];
      of_value.sum += node_responses[i];
      ++of_value.count;
    }
    present_.clear();
    for (const std::uint32_t value : order) {
      if (sums[value].count > 0) present_.push_back(value);
    }
    if (is_text_[parameter]) {
      std::stable_sort(present_.begin(), present_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return sums[a].mean() < sums[b].mean(); });
    }
    ValueSum left;
    std::size_t cut = 0;
    const std::uint32_t* const present = present_.data();
    const std::size_t last = present_.size() - 1;
    for (std::size_t v = 0; v < last; ++v) {
      const ValueSum& of_value = sums[present[v]];
      left.sum += of_value.sum;
      left.count += of_value.count;
      const std::size_t right = end - begin - left.count;
      if (left.count < minimum_ || right < minimum_) continue;
      const double score = left.sum * left.sum / static_cast<double>(left.count) +
                           (sum - left.sum) * (sum - left.sum) / static_cast<double>(right);
      if (score <= best.score) continue;
      best.score = score;
      cut = v + 1;
    }
    if (cut == 0) return;
    best.parameter = parameter;
    best.left.assign(present_.begin(), present_.begin() + static_cast<std::ptrdiff_t>(cut));
    // A value that does not occur in the node goes to the same side as its neighbour in the order.
    add_absent(parameter, best.left);
  }

  void add_absent(std::size_t parameter, std::vector<std::uint32_t>& left) const {
    if (is_text_[parameter]) return;
    const std::uint32_t last = left.back();
    left.clear();
    for (const std::uint32_t value : orders_[parameter]) {
      left.push_back(value);
      if (value == last) return;
    }
  }

  std::size_t apply(std::uint32_t node, std::size_t begin, std::size_t end, const Split& split) {
    const std::size_t table = forest_.goes_left_.size();
    forest_.goes_left_.resize(table + orders_[split.parameter].size(), 0);
    for (const std::uint32_t value : split.left) forest_.goes_left_[table + value] = 1;
    const auto left = static_cast<std::uint32_t>(forest_.nodes_.size());
    forest_.nodes_.resize(forest_.nodes_.size() + 2);
    Forest::Node& parent = forest_.nodes_[node];
    parent.parameter = static_cast<std::uint32_t>(split.parameter);
    parent.table = static_cast<std::uint32_t>(table);
    parent.left = left;
    const std::uint8_t* const goes_left = forest_.goes_left_.data() + table;
    const std::uint32_t* const column = columns_[split.parameter].data();
    std::uint32_t* const sample = sample_.data();
    std::uint32_t* const middle = std::partition(
        sample + begin, sample + end, [&](std::uint32_t row) -> bool { return goes_left[column[row]] != 0; });
    return static_cast<std::size_t>(middle - sample);
  }

  Forest& forest_;
  const std::vector<model::Configuration>& configurations_;
  std::span<const double> responses_;
  std::size_t minimum_;  // The minimum number of rows in a leaf.
  base::Random random_;
  std::size_t tried_ = 1;  // The number of parameters that each split tries.
  // For each parameter: its values as `order_of` sorts them.
  std::vector<std::vector<std::uint32_t>> orders_;
  std::vector<bool> is_text_;
  std::vector<std::size_t> varying_;  // The parameters with several values.
  // For each parameter: the index of its value in each configuration. Pointers to such rows of numbers halve
  // the time that a sanitizer's checks take.
  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<double> node_responses_;  // The response of each row of `sample_`, within the node.
  std::vector<std::uint32_t> sample_;   // The rows of the bootstrap sample; those of a node are adjacent.
  std::vector<ValueSum> sums_;  // For each value of the tried parameter, within the node, and unused ones.
  std::vector<std::uint32_t> present_;  // The values of the tried parameter that occur in the node.
};

Forest::Forest(const std::vector<model::Parameter>& parameters,
               const std::vector<model::Configuration>& configurations, std::span<const double> responses,
               const ForestOptions& options) {
  if (configurations.empty() || configurations.size() != responses.size() || options.trees == 0)
    throw std::invalid_argument(
        "a forest needs at least one tree and one configuration, and a response for each configuration");
  TreeGrower grower(*this, parameters, configurations, responses, options);
  const std::size_t count = configurations.size();
  std::vector<double> sums(count, 0.0);
  std::vector<std::size_t> votes(count, 0);
  std::vector<bool> in_bag;
  for (std::size_t tree = 0; tree < options.trees; ++tree) {
    grower.grow(in_bag);
    for (std::size_t row = 0; row < count; ++row) {
      if (in_bag[row]) continue;
      sums[row] += predict(roots_.back(), configurations[row]);
      ++votes[row];
    }
  }
  const double mean = std::accumulate(responses.begin(), responses.end(), 0.0) / static_cast<double>(count);
  std::vector<double> relative;
  relative.reserve(count);
  double unexplained = 0.0;
  double total = 0.0;
  for (std::size_t row = 0; row < count; ++row) {
    if (votes[row] == 0) continue;
    const double difference = sums[row] / static_cast<double>(votes[row]) - responses[row];
    relative.push_back(std::abs(std::expm1(difference)));
    unexplained += difference * difference;
    total += (responses[row] - mean) * (responses[row] - mean);
  }
  error_.rows = relative.size();
  if (relative.empty()) return;
  error_.median_relative_error = *model::median_of(std::move(relative));
  error_.r_squared = total > 0.0 ? 1.0 - unexplained / total : 0.0;
}

double Forest::predict(std::uint32_t root, const model::Configuration& configuration) const {
  const Node* const nodes = nodes_.data();
  const std::uint8_t* const goes_left = goes_left_.data();
  const auto* const values = configuration.data();
  const Node* node = nodes + root;
  while (node->left != 0) {
    const bool left = goes_left[node->table + values[node->parameter]] != 0;
    node = nodes + (left ? node->left : node->left + 1);
  }
  return node->mean;
}

double Forest::predict(const model::Configuration& configuration) const {
  double sum = 0.0;
  for (const std::uint32_t root : roots_) sum += predict(root, configuration);
  return sum / static_cast<double>(roots_.size());
}

// One tree after another: all trees together do not fit into a cache.
std::vector<double> Forest::predict_all(std::span<const model::Configuration> configurations) const {
  std::vector<double> sums(configurations.size(), 0.0);
  for (const std::uint32_t root : roots_) {
    double* sum = sums.data();
    for (const model::Configuration& configuration : configurations) *sum++ += predict(root, configuration);
  }
  for (double& sum : sums) sum /= static_cast<double>(roots_.size());
  return sums;
}

}  // namespace warptune::search::models
