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

/// The measured times of one competitor of a row: a configuration of the kernel, or a library call.
struct Timed {
  std::string name;
  std::vector<double> samples_ns;
  std::optional<model::TimeSummary> time;
  /// The median time in which the host enqueues a library call.
  std::optional<double> host_us = {};
  std::string fault;        ///< Why its outputs differ from the kernel's; empty if they do not.
  bool same_result = true;  ///< Whether its outputs must equal the kernel's. If not, they are not compared.
};

/// Whether a goal is reached. `kTied`: it is missed by less than the uncertainty of the ratio.
enum class Verdict { kMet, kTied, kMissed };
/// `yes`, `tied`, `no`.
std::string_view to_string(Verdict verdict);

/// A measured row of the table.
struct Comparison {
  Row row;
  std::string problem;  ///< The problem as `model::to_text` writes it.
  std::string skipped;  ///< Why nothing was timed; empty if it was.
  std::string note;
  model::NamedValues best_configuration;  ///< Empty if the problem was not tuned.
  std::optional<Timed> best;
  Timed by_default;
  std::vector<Timed> vendor;
  model::Work work;
  std::optional<double> roof_ns;
  /// The ratio reference / best over the rounds. It has no value if one of them is missing.
  std::optional<model::MedianInterval> ratio;

  /// The roof's time divided by the best time, if both are known.
  std::optional<double> roof_share() const;
  /// Whether the goal is reached. Returns std::nullopt if a part of the goal was not measured.
  std::optional<Verdict> verdict() const;
};

struct ComparisonOptions {
  int rounds = 40;
  std::uint64_t seed = 1;
  std::filesystem::path compile_cache;
};

/// Measures rows one after another on one GPU, in this process.
class Bench {
 public:
  /// `store` is borrowed. If it is null, no tuned configurations are known.
  Bench(model::GpuDescription gpu, db::Store* store, const ComparisonOptions& options);

  /// Measures a row. If it cannot be measured, `skipped` says why. Throws `base::MachineError` only if the
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
  std::vector<model::RoofReading> readings_;  ///< Measured with the first row and used for all.
  model::Roofs roofs_;
  bool lost_ = false;
};

}  // namespace warptune::bench::vendor
