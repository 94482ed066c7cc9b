#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/counters/cupti.h"

namespace warptune::profiling::counters {

/// CUPTI's host-side view of one chip: which metrics it has, and how many passes a set of metrics takes. It
/// needs no GPU.
///
/// An object can be used for one set of metrics only, for three reasons. CUPTI keeps the metrics that were
/// added. One unknown name makes the object unusable. Metrics of a later call never share a pass with those
/// of an earlier call. The first object of a process loads CUPTI's host library, which takes about 90 ms. A
/// further object takes 0.6 ms.
class ProfilerHost {
 public:
  /// Throws `base::InputError` when CUPTI does not know the chip.
  explicit ProfilerHost(const std::string& chip);
  ~ProfilerHost();
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }
  /// Returns whether CUPTI has a description of a metric. It takes microseconds and keeps the object usable.
  /// It also returns true for a name without its roll-up ("dram__bytes" instead of "dram__bytes.sum"), and
  /// for a few metrics that cannot be scheduled. So `configure` may fail for a metric that is described.
  bool describes(const std::string& metric) const;
  /// Schedules metrics, which must all be known to the chip, and returns CUPTI's configuration image. Throws
  /// `CuptiError`.
  std::vector<std::uint8_t> configure(const std::vector<std::string>& metrics);

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// Returns the number of passes that a configuration image takes.
std::size_t passes_of(std::vector<std::uint8_t>& image);

/// Returns the chips that CUPTI's host interface knows.
std::vector<std::string> supported_chips();

/// Returns those of `metrics` that a chip can count, in their order. Names that CUPTI does not describe are
/// removed first. The others are tried as one set; only if CUPTI refuses it, each half is tried. Answers are
/// kept until the process ends.
std::vector<std::string> known_metrics(const std::string& chip, const std::vector<std::string>& metrics);

/// Returns whether a chip can count a metric.
bool has_metric(const std::string& chip, const std::string& metric);

/// Returns the number of passes that metrics take together when they are added in this order. All must be
/// known to the chip. Answers are kept until the process ends.
std::size_t count_passes(const std::string& chip, const std::vector<std::string>& metrics);

/// A plan for reading a set of metrics in few passes. It uses one configuration image for all of them
/// (metric_planner.cpp says why).
struct MetricPlan {
  /// The metrics that the chip has, in the order to add them. Derived metrics are replaced by their inputs.
  std::vector<std::string> metrics;
  std::vector<std::string> unknown;  ///< In the order in which they were asked for.
  std::size_t passes = 0;
};

/// Plans any set of metrics, including derived ones. If the given order takes more than one pass, other
/// orders are tried. The search stops when a plan takes no more passes than one of its metrics takes alone,
/// or after `kPlanOrders` orders. The same arguments give the same plan. Throws like `ProfilerHost`.
MetricPlan plan_metrics(const std::string& chip, const std::vector<std::string>& asked);
inline constexpr int kPlanOrders = 6;

/// Returns a subset of `metrics` that one pass can count. It goes through the metrics in order, and keeps
/// each that the chip has and that fits into one pass with those kept before.
std::vector<std::string> fit_one_pass(const std::string& chip, const std::vector<std::string>& metrics);

/// The metrics to read.
struct MetricChoice {
  std::vector<std::string>
      metrics;  ///< The metrics that the chip knows. Derived metrics are replaced by their inputs.
  std::size_t passes = 0;
  /// Lines to show to a user: what was left out, and why.
  std::vector<std::string> warnings;
};

/// Chooses the metrics to read. If `asked` is empty, it takes the metrics of the core set that fit into one
/// pass. Otherwise it takes the metrics of `asked` that the chip has, in the order of `plan_metrics`. Throws
/// like `ProfilerHost`.
MetricChoice choose_metrics(const std::string& chip, const std::vector<std::string>& asked);

/// Pointers into `names` for CUPTI's calls.
std::vector<const char*> as_pointers(const std::vector<std::string>& names);

}  // namespace warptune::profiling::counters
