#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/vendor/rows.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "model/median.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::bench::vendor {

/// What was timed of one launch.
struct Timed {
  std::string name;
  std::vector<double> samples_ns;
  model::TimeSummary time;
  double host_us = 0.0;  ///< Median time the host took to enqueue it; of library calls.
  std::string fault;     ///< Why its outputs are not the kernel's; empty when they are.
  bool same_result = true;
};

/// Whether a goal is reached. Tied: missed, but by less than the ratio is known to.
enum class Verdict { kMet, kTied, kMissed };
/// `yes`, `tied`, `no`.
std::string_view to_string(Verdict verdict);

/// A row of the table.
struct Comparison {
  Row row;
  std::string problem;  ///< `to_text`.
  std::string skipped;  ///< Why nothing was timed; else empty.
  std::string note;
  model::NamedValues best_configuration;  ///< Empty: not tuned.
  std::optional<Timed> best;
  Timed by_default;
  std::vector<Timed> vendor;
  model::Work work;
  std::optional<double> roof_ns;
  model::MedianInterval ratio;  ///< Reference over best, round by round; NaN when one is missing.

  /// The roof's time over the best's, if both are known.
  std::optional<double> roof_share() const;
  /// Nothing where a part of the goal cannot be told.
  std::optional<Verdict> verdict() const;
};

struct ComparisonOptions {
  int rounds = 40;
  std::uint64_t seed = 1;
  std::filesystem::path compile_cache;
};

/// Measures rows one after another on one GPU in this process.
class Bench {
 public:
  /// `store` may be null: nothing is tuned then.
  Bench(model::GpuDescription gpu, db::Store* store, const ComparisonOptions& options);

  /// Never throws for a row that cannot be measured: `skipped` says why. Throws `base::MachineError` when the
  /// GPU is lost.
  Comparison measure(const Row& row);
  const model::Roofs& roofs() const { return roofs_; }

 private:
  std::optional<model::NamedValues> best_of(const kernel_templates::KernelInstance& instance,
                                            const Row& row) const;
  void fill(Comparison& comparison);

  model::GpuDescription gpu_;
  db::Store* store_;
  ComparisonOptions options_;
  tuner::workers::compiling::CompilePool pool_;
  std::vector<model::RoofReading> readings_;  ///< Of the first row, for all.
  model::Roofs roofs_;
  bool lost_ = false;
};

}  // namespace warptune::bench::vendor
