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

/// Parts of a GPU whose use is a share of what they can sustain.
enum class Unit { kDeviceMemory, kL2, kL1, kIssueSlots, kFma, kFp64, kAlu, kXu, kTensor };
/// "device memory", "L2 cache", ...
std::string_view to_string(Unit unit);

/// What moves data, and what computes: for rules that say which of them a remedy would relieve.
inline constexpr std::initializer_list<Unit> kMemoryUnits = {Unit::kDeviceMemory, Unit::kL2, Unit::kL1};
inline constexpr std::initializer_list<Unit> kComputeUnits = {Unit::kIssueSlots, Unit::kFma, Unit::kFp64,
                                                              Unit::kAlu,        Unit::kXu,  Unit::kTensor};

struct UnitUse {
  Unit unit = Unit::kIssueSlots;
  double use = 0.0;  ///< 0..1.
};

/// One configuration's numbers as rules ask for them: counters by name and what follows from several.
class Facts {
 public:
  /// `input` must outlive it; `measurement` is the input's own, or another row of its space.
  Facts(const DiagnosisInput& input, const model::Measurement& measurement);

  const DiagnosisInput& input() const { return *input_; }
  const model::Measurement& measurement() const { return *measurement_; }
  const model::ResourceUse& resources() const { return measurement_->resources; }

  /// A counter, or what `metric::kMinBytes` and its like name (then 1).
  std::optional<double> find(std::string_view metric) const;
  bool has(std::string_view metric) const { return find(metric).has_value(); }
  /// One that is there, else 0.
  double value(std::string_view metric) const { return find(metric).value_or(0.0); }

  double time_ns() const { return measurement_->time.median_ns; }
  /// Clock cycles of an SM that the launch took: its time at the clock it was timed at (else the GPU's most).
  double sm_cycles() const;
  /// A sum over all SMs of things that a cycle can do one of, as a share of the launch's cycles.
  double share_of_cycles(double sum) const;

  /// Instructions over the issue slots of all SMs for the whole launch; the counter of issue slots leaves out
  /// schedulers while they have no warp.
  double issue_share_of_launch() const;

  const OccupancyLimits& limits() const { return limits_; }
  /// Theoretical, by the driver where it was asked, else by the limits. 0 when a block does not fit at all.
  double theoretical_occupancy() const;
  std::int64_t blocks_per_sm() const;
  /// Blocks over those resident at once on the whole GPU. It has no value when none is resident.
  std::optional<double> waves() const;
  /// Lanes that a block's warps have threads for, of 32.
  double lanes_in_use() const;

  /// Units whose use is known.
  const std::vector<UnitUse>& units() const { return units_; }
  std::optional<double> use(Unit unit) const;
  /// The busiest that is known, but for those that a remedy relieves.
  UnitUse busiest_but(std::initializer_list<Unit> relieved) const;
  UnitUse busiest() const { return busiest_but({}); }
  /// A bound on a gain: `waste` is a share of the time, and units that the remedy leaves as busy as they are
  /// cannot take less than their own part of it.
  double bounded(double waste, std::initializer_list<Unit> relieved) const;

  /// How much of the time memory has to do with: the use of its busiest unit, or the warps' time waiting for
  /// it.
  double memory_share() const;

  /// Of the cycles that resident warps spent, the share in one stall reason ("barrier"). Nothing when
  /// unknown.
  std::optional<double> stall_share(std::string_view reason) const;

 private:
  std::optional<double> written_share() const;
  void add_units();

  const DiagnosisInput* input_;
  const model::Measurement* measurement_;
  OccupancyLimits limits_;
  std::vector<UnitUse> units_;
};

}  // namespace warptune::profiling::diagnosis
