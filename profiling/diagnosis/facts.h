#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/occupancy.h"

namespace warptune::profiling::diagnosis {

/// The units of a GPU whose use is measured as a share of what they can sustain.
enum class Unit { kDeviceMemory, kL2, kL1, kIssueSlots, kFma, kFp64, kAlu, kXu, kTensor };
/// "device memory", "L2 cache", ...
std::string_view to_string(Unit unit);

/// The units that move data, and the units that compute. Rules use them to say which units a remedy relieves,
/// which means that it gives them less work.
inline constexpr std::initializer_list<Unit> kMemoryUnits = {Unit::kDeviceMemory, Unit::kL2, Unit::kL1};
inline constexpr std::initializer_list<Unit> kComputeUnits = {Unit::kIssueSlots, Unit::kFma, Unit::kFp64,
                                                              Unit::kAlu,        Unit::kXu,  Unit::kTensor};

struct UnitUse {
  Unit unit = Unit::kIssueSlots;
  double use = 0.0;  ///< 0 to 1.
  /// The use while the GPU is full: without the start and the end of the launch. 0 to 1, at least `use`. It
  /// is `use` for units of an SM, because these count only the cycles in which the SM has warps.
  double steady = 0.0;
};

/// The time that a launch needs to fill the GPU and to drain it: about five memory latencies. It was measured
/// on an H200 with the fastest launches of `dot` and `reduction` over 4 Mi elements. They take 2.4 to 2.7 us
/// longer than their bytes need at the roof (docs/diagnosis.md, "Short launches").
inline constexpr double kRampNs = 2400.0;

/// The numbers of one configuration in the form that rules need: counters by name, and values that are
/// computed from several counters.
class Facts {
 public:
  /// `measurement` is `input.measurement`, or another row of the same space. Both arguments must outlive the
  /// facts. Without a time, only what needs none may be asked for.
  Facts(const DiagnosisInput& input, const model::Measurement& measurement);

  const DiagnosisInput& input() const { return *input_; }
  const model::Measurement& measurement() const { return *measurement_; }
  const model::ResourceUse& resources() const { return measurement_->resources; }

  /// Returns a counter by its name. `metric::kMinBytes` and the names that follow it in metric_names.h are
  /// not counters: each names other information that a rule may need, such as the bytes in `[work]`. For
  /// these names it returns 1 if this information is known, and otherwise std::nullopt.
  std::optional<double> find(std::string_view metric) const;
  bool has(std::string_view metric) const { return find(metric).has_value(); }
  /// Returns a counter, or 0 when it is unknown.
  double value(std::string_view metric) const { return find(metric).value_or(0.0); }

  double time_ns() const { return measurement_->time.value().median_ns; }
  /// Returns the share of the launch that its start and its end take (`kRampNs`), at most 1.
  double ramp_share() const;
  /// Returns whether the start and the end take so much of the launch that no unit can reach 80 % of use.
  /// Then averages over the launch do not show what limits it.
  bool is_short() const;
  /// Returns the clock cycles of an SM during the launch. It uses the clock that was measured with the time,
  /// and otherwise the GPU's maximum clock.
  double sm_cycles() const;
  /// Returns `sum` divided by the launch's cycles of all SMs. `sum` counts events of which an SM can do one
  /// in each cycle.
  double share_of_cycles(double sum) const;

  /// Returns the instructions divided by the issue slots of all SMs during the whole launch. The counter for
  /// the use of issue slots differs from this: it leaves out cycles in which a scheduler has no warp.
  double issue_share_of_launch() const;

  const OccupancyLimits& limits() const { return limits_; }
  /// Returns the theoretical occupancy, 0 to 1. It comes from the driver if the driver was asked, and
  /// otherwise from the limits. It is 0 when a block does not fit at all.
  double theoretical_occupancy() const;
  std::int64_t blocks_per_sm() const;
  /// Returns the number of blocks divided by the number that the whole GPU can hold at once, or std::nullopt
  /// if it can hold none.
  std::optional<double> waves() const;
  /// Returns the average number of threads per warp of a block, at most 32. It is less than 32 if the size of
  /// a block is not a multiple of 32.
  double lanes_in_use() const;

  /// The units whose use is known.
  const std::vector<UnitUse>& units() const { return units_; }
  std::optional<double> use(Unit unit) const;
  std::optional<UnitUse> unit(Unit unit) const;
  /// Returns the bytes that had to be written but were still in L2 at the end of the launch. They leave L2
  /// later, so they count as traffic of device memory. It is 0 if the L2 cache was warm or if the written
  /// bytes were not counted.
  double deferred_bytes() const;
  /// Returns the busiest known unit, except for those that a remedy relieves.
  UnitUse busiest_except(std::initializer_list<Unit> relieved) const;
  /// Returns the unit that is busiest while the GPU is full.
  UnitUse busiest() const { return busiest_while_full({}); }
  /// The same, except for those that a remedy relieves.
  UnitUse busiest_while_full(const std::vector<Unit>& relieved) const;
  /// Returns an upper bound on a gain. `waste` is the share of the time that the remedy could save. The units
  /// that the remedy does not relieve still have to do the same work, so the launch takes at least the time
  /// in which they are busy.
  double bounded(double waste, std::initializer_list<Unit> relieved) const;

  /// Returns the share of the time in which these memory units may be the limit. It is the larger of two
  /// numbers: the use of the busiest memory unit, and the share of the time that warps wait for memory. A use
  /// below 60 % does not count, unless the waiting is unknown.
  double memory_share(std::initializer_list<Unit> units = kMemoryUnits) const;
  /// The same for stores. A warp continues while its store is carried out. So only two kinds of waiting
  /// count: for space in the queue of loads and stores (lg_throttle), and for the last stores of a warp
  /// (drain).
  double store_share(std::initializer_list<Unit> units = kMemoryUnits) const;
  /// The same as `memory_share()`, but warps that wait for the queue of memory instructions (mio_throttle)
  /// also count as waiting for memory. Only for launches in which the queue of loads and stores is full,
  /// which the caller checks: then the queue of memory instructions, which feeds that queue, fills up, too.
  double full_queue_share() const;
  /// Returns the share of the time in which computing may be the limit. It is the larger of two numbers: the
  /// use of the busiest unit that computes, and the share of the time that warps do not wait for memory. A
  /// use below 60 % does not count.
  double compute_share() const;

  /// Returns the share of their cycles that resident warps are stalled for one reason, such as "barrier".
  /// Returns std::nullopt when it is unknown.
  std::optional<double> stall_share(std::string_view reason) const;

 private:
  std::optional<double> written_share() const;
  std::optional<double> waiting_for_memory() const;
  double waiting_for_queues() const;
  double busiest_of(std::initializer_list<Unit> units) const;
  std::optional<UnitUse> device_memory() const;
  double without_ramp(double use) const;
  void add_units();

  const DiagnosisInput* input_;
  const model::Measurement* measurement_;
  OccupancyLimits limits_;
  std::vector<UnitUse> units_;
};

}  // namespace warptune::profiling::diagnosis
