#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/counters/cupti.h"

namespace warptune::profiling::counters {

/// CUPTI's host-side view of one chip: which metrics it has and what a set costs. One set of metrics an
/// object: CUPTI keeps what was added, one unknown name spoils the object for good, and metrics of a later
/// call never share a pass with those of an earlier one. The first object of a process loads CUPTI's host
/// library (about 90 ms), a further one takes 0.6 ms.
class ProfilerHost {
 public:
  /// Throws `base::InputError` on a chip that CUPTI does not know.
  explicit ProfilerHost(const std::string& chip);
  ~ProfilerHost();
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }
  /// Whether CUPTI has a description for a metric's name. Microseconds, and spoils nothing. True also for a
  /// name without its roll-up ("dram__bytes") and for a few that cannot be scheduled: necessary for
  /// `configure`, not sufficient.
  bool describes(const std::string& metric) const;
  /// Schedules metrics, all known to the chip, and returns CUPTI's configuration image. Throws `CuptiError`.
  std::vector<std::uint8_t> configure(const std::vector<std::string>& metrics);

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// Passes that a configuration image takes.
std::size_t passes_of(std::vector<std::uint8_t>& image);

/// Chips that CUPTI's host interface knows.
std::vector<std::string> supported_chips();

/// Those of `metrics` that a chip can count, in their order. Names that CUPTI does not describe are out at
/// once; the rest is tried together and halved only when that fails. What was found is kept for the process.
std::vector<std::string> known_metrics(const std::string& chip, const std::vector<std::string>& metrics);

/// Whether a chip can count a metric.
bool has_metric(const std::string& chip, const std::string& metric);

/// Passes that metrics, all known to the chip, take together when handed over in this order. Kept for the
/// process.
std::size_t count_passes(const std::string& chip, const std::vector<std::string>& metrics);

/// How to read a set of metrics with as few passes as is known.
///
/// One configuration image for all of them: tried with CUPTI 13.0 for GH100, GA100, AD102, TU102, GB100 and
/// GB202 on the whole catalogue and on some 150 random subsets, no split into several images took fewer
/// passes than the best order of one image, and most took more (catalogue on GH100: one image 12 to 14, alone
/// 53, greedily split 13 to 15). What does change the number is the order in which the names are handed over:
/// 12 to 14 passes on GH100, 9 to 12 on TU102, 9 to 12 on GA100. So several orders are tried.
struct MetricPlan {
  std::vector<std::string>
      metrics;  ///< Those the chip has, derived ones expanded, in the order to hand over.
  std::vector<std::string> unknown;  ///< In the order asked for.
  std::size_t passes = 0;
};

/// Plans any set; derived metrics may be named. Orders are tried only where the given one takes more than one
/// pass, and until as few passes are reached as the costliest metric takes alone: at most `kPlanOrders`,
/// the same at each call. Throws as `ProfilerHost` does.
MetricPlan plan_metrics(const std::string& chip, const std::vector<std::string>& asked);
inline constexpr int kPlanOrders = 6;

/// Of `metrics` in their order: each that the chip has and that still fits into one pass with those before
/// it.
std::vector<std::string> fit_one_pass(const std::string& chip, const std::vector<std::string>& metrics);

/// The metrics to read for what was asked for.
struct MetricChoice {
  std::vector<std::string> metrics;  ///< Derived ones expanded; known to the chip.
  std::size_t passes = 0;
  std::vector<std::string> warnings;  ///< For people: what was left out and why. One line each.
};

/// Nothing asked for: the core set as far as one pass reads it. Else what the chip has of `asked`, in
/// `plan_metrics`' order. Throws as `ProfilerHost` does.
MetricChoice choose_metrics(const std::string& chip, const std::vector<std::string>& asked);

/// Pointers into `names` for CUPTI's calls.
std::vector<const char*> as_pointers(const std::vector<std::string>& names);

}  // namespace warptune::profiling::counters
