#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/cli/options.h"
#include "tuner/process_evaluator.h"
#include "tuner/stored_measuring.h"

namespace warptune::tuner::cli {

/// Declares `--device`, `--jobs`, `--compile-cache` and `--seed`.
Options& measuring_options(Options& options);
/// Throws `base::InputError` on values that no machine could take.
void check_measuring_options(const Options& options);

/// The GPU of this machine that `--device` names, else the first of a model; nothing where there is none of
/// it. Throws `base::InputError` when the one named is of another model.
std::optional<int> measuring_device(const Options& options, const search::GpuDescription& wanted);

/// What configurations are measured for, and how.
struct MeasuringPlan {
  const kernel_templates::KernelInstance* instance = nullptr;  ///< Must outlive the measuring.
  search::CacheState cache = search::CacheState::kCold;
  std::string strategy;  ///< As the session is stored: "profile", "explain".
  Budget budget;
  std::vector<std::string> metrics;  ///< Empty: the core set.
  bool measure_energy = false;
  bool measure_error = false;
};

/// Measures named configurations on one GPU of this machine and stores them in a session of their own. The
/// GPU is set up when it is made.
class NamedMeasuring {
 public:
  NamedMeasuring(const Options& options, const MeasuringPlan& plan, int ordinal);

  StoredMeasuring& rows() { return *rows_; }
  const ProcessEvaluator& evaluator() const { return *evaluator_; }
  db::Store& store() { return *store_; }

 private:
  std::unique_ptr<ProcessEvaluator> evaluator_;
  std::unique_ptr<db::Store> store_;
  std::unique_ptr<StoredMeasuring> rows_;
};

}  // namespace warptune::tuner::cli
