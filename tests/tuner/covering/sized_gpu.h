#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/measurement.h"
#include "tuner/covering/cover_search.h"

namespace warptune::tuner::covering {

/// A GPU in a formula, for covers. A matrix of M x N is divided into blocks of BM x BN, and waves of 132
/// blocks run one after the other. A block takes longer than its share of the arithmetic if it is small, and
/// the whole cannot be faster than the memory. So small matrices want small blocks, and large ones large
/// blocks.
class SizedGpu {
 public:
  covers::SizeRange range = covers::parse_range("M=64..8192 log2, N=64..8192 log2", "here");
  std::uint64_t evaluations = 0;
  std::size_t tasks = 0;
  std::size_t interrupt_at = ~std::size_t{0};  ///< The task that is interrupted.
  covers::Size broken{};                       ///< A size that cannot be measured.
  std::vector<SizeTask> seen;
  /// What is known of the outputs of a configuration. Empty: nothing is demanded.
  std::function<covers::OutputsKnown(const covers::Size&, const model::NamedValues&)> outputs{};

  static std::vector<model::NamedValues> space() {
    std::vector<model::NamedValues> all;
    for (const std::int64_t bm : {16, 32, 64, 128, 256}) {
      for (const std::int64_t bn : {16, 32, 64, 128, 256}) all.push_back({{"BM", bm}, {"BN", bn}});
    }
    return all;
  }

  static double time_ns(const covers::Size& size, const model::NamedValues& configuration) {
    const double bm = *model::to_number(configuration[0].second);
    const double bn = *model::to_number(configuration[1].second);
    const auto m = static_cast<double>(size[0]);
    const auto n = static_cast<double>(size[1]);
    const double blocks = std::ceil(m / bm) * std::ceil(n / bn);
    const double waves = std::ceil(blocks / 132.0);
    const double block_ns = bm * bn * (1.0 + 12.0 / bm + 12.0 / bn);
    const double memory_ns = 4.0 * m * n / 1000.0;
    return 2000.0 + std::max(waves * block_ns, memory_ns);
  }

  static double best_ns(const covers::Size& size) {
    double best = 1e300;
    for (const model::NamedValues& one : space()) best = std::min(best, time_ns(size, one));
    return best;
  }

  /// Measures the named configurations, then others in a random order, as far as the budget allows.
  SizeRows measure(const SizeTask& task) {
    seen.push_back(task);
    SizeRows rows;
    if (task.at.size == broken) {
      rows.failure = "it is broken";
      return rows;
    }
    if (tasks++ == interrupt_at) {
      rows.interrupted = true;
      return rows;
    }
    std::vector<model::NamedValues> order = task.named;
    std::vector<model::NamedValues> others = space();
    base::Random random(tasks);
    random.shuffle(others);
    if (task.searches) order.insert(order.end(), others.begin(), others.end());
    std::map<std::string, model::Measurement>& known = known_[task.at.size];
    for (const model::NamedValues& configuration : order) {
      if (task.searches && task.budget.evaluations && rows.evaluated >= *task.budget.evaluations) break;
      model::Measurement& row = known[model::key_of(configuration)];
      if (row.status == model::Status::kMeasured) continue;
      row.configuration = configuration;
      row.status = model::Status::kMeasured;
      row.time = model::TimeSummary{time_ns(task.at.size, configuration)};
      ++rows.evaluated;
    }
    for (const auto& [key, row] : known) rows.rows.push_back({row, outputs_of(task, row.configuration)});
    evaluations += rows.evaluated;
    return rows;
  }

 private:
  // The outputs of named configurations are compared, and those of half of the others.
  covers::OutputsKnown outputs_of(const SizeTask& task, const model::NamedValues& configuration) {
    if (!outputs) return covers::OutputsKnown::kMet;
    std::set<std::string>& compared = compared_[task.at.size];
    for (const model::NamedValues& named : task.named) compared.insert(model::key_of(named));
    if (std::hash<std::string>()(model::key_of(configuration)) % 2 == 0)
      compared.insert(model::key_of(configuration));
    return compared.contains(model::key_of(configuration)) ? outputs(task.at.size, configuration)
                                                           : covers::OutputsKnown::kUnknown;
  }

  std::map<covers::Size, std::set<std::string>> compared_;
  std::map<covers::Size, std::map<std::string, model::Measurement>> known_;
};

}  // namespace warptune::tuner::covering
