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

/// The units that move data, and the units that compute. Rules use them to say which units a remedy relieves.
inline constexpr std::initializer_list<Unit> kMemoryUnits = {Unit::kDeviceMemory, Unit::kL2, Unit::kL1};
inline constexpr std::initializer_list<Unit> kComputeUnits = {Unit::kIssueSlots, Unit::kFma, Unit::kFp64,
                                                              Unit::kAlu,        Unit::kXu,  Unit::kTensor};

struct UnitUse {
  Unit unit = Unit::kIssueSlots;
  double use = 0.0;  ///< 0 to 1.
};

/// The numbers of one configuration in the form that rules need: counters by name, and values that are
/// computed from several counters.
class Facts {
 public:
  /// `input` must outlive the facts. `measurement` is the one of the input, or another row of its space.
  Facts(const DiagnosisInput& input, const model::Measurement& measurement);

  const DiagnosisInput& input() const { return *input_; }
  const model::Measurement& measurement() const { return *measurement_; }
  const model::ResourceUse& resources() const { return measurement_->resources; }

  /// Returns a counter by its name. `metric::kMinBytes` and the names below it are not counters. For them it
  /// returns 1 when the information is known.
  std::optional<double> find(std::string_view metric) const;
  bool has(std::string_view metric) const { return find(metric).has_value(); }
  /// Returns a counter, or 0 when it is unknown.
  double value(std::string_view metric) const { return find(metric).value_or(0.0); }

  double time_ns() const { return measurement_->time.median_ns; }
  /// Returns the clock cycles of an SM during the launch. It uses the clock that was measured with the time,
  /// and otherwise the GPU's maximum clock.
  double sm_cycles() const;
  /// Returns a sum over all SMs as a share of the launch's cycles. It counts events of which an SM can do one
  /// per cycle.
  double share_of_cycles(double sum) const;

  /// Returns the instructions over the issue slots of all SMs during the whole launch. The counter of issue
  /// slots does not include schedulers while they have no warp.
  double issue_share_of_launch() const;

  const OccupancyLimits& limits() const { return limits_; }
  /// Returns the theoretical occupancy, 0 to 1. It comes from the driver if it was asked, and otherwise from
  /// the limits. It is 0 when unknown.
  double theoretical_occupancy() const;
  std::int64_t blocks_per_sm() const;
  /// Returns the number of blocks over the number that the whole GPU can hold at once. It is 0 when unknown.
  double waves() const;
  /// Returns the average number of lanes for which the warps of a block have threads, at most 32.
  double lanes_in_use() const;

  /// The units whose use is known.
  const std::vector<UnitUse>& units() const { return units_; }
  std::optional<double> use(Unit unit) const;
  /// Returns the busiest known unit, except for those that a remedy relieves.
  UnitUse busiest_except(std::initializer_list<Unit> relieved) const;
  UnitUse busiest() const { return busiest_except({}); }
  /// Returns an upper bound on a gain. `waste` is the share of the time that the remedy could save. The units
  /// that the remedy does not relieve stay as busy as they are, so the time cannot fall below their share of
  /// it.
  double bounded(double waste, std::initializer_list<Unit> relieved) const;

  /// Returns the share of the time in which memory may be the limit. It is the larger of two numbers: the use
  /// of the busiest memory unit, and the share of the time that warps wait for memory.
  double memory_share() const;

  /// Returns the share of the cycles of resident warps that one stall reason ("barrier") has. Returns
  /// std::nullopt when it is unknown.
  std::optional<double> stall_share(std::string_view reason) const;

 private:
  double written_share() const;
  void add_units();

  const DiagnosisInput* input_;
  const model::Measurement* measurement_;
  OccupancyLimits limits_;
  std::vector<UnitUse> units_;
};

}  // namespace warptune::profiling::diagnosis
