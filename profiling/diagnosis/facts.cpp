#include "profiling/diagnosis/facts.h"

#include <algorithm>
#include <cmath>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::diagnosis {

namespace {

struct UnitMetric {
  Unit unit;
  const char* metric;  // In per cent.
};
constexpr UnitMetric kUnitMetrics[] = {
    {Unit::kL2, metric::kL2Throughput},   {Unit::kIssueSlots, metric::kIssueSlots},
    {Unit::kFma, metric::kFmaPipe},       {Unit::kFp64, metric::kFp64Pipe},
    {Unit::kAlu, metric::kAluPipe},       {Unit::kXu, metric::kXuPipe},
    {Unit::kTensor, metric::kTensorPipe},
};

// SMs of compute capability 7.0 to 12.x have four schedulers. Each warp belongs to one of them.
constexpr double kSchedulers = 4.0;

}  // namespace

std::string_view to_string(Unit unit) {
  static constexpr std::string_view kNames[] = {
      "device memory", "L2 cache",     "L1 and shared memory",  "issue slots", "FMA pipe",
      "FP64 pipe",     "integer pipe", "special function pipe", "tensor cores"};
  return kNames[static_cast<std::size_t>(unit)];
}

Facts::Facts(const DiagnosisInput& input, const model::Measurement& measurement)
    : input_(&input), measurement_(&measurement) {
  if (has(metric::kLaunch)) limits_ = occupancy_limits(input.gpu, measurement.resources);
  add_units();
}

std::optional<double> Facts::find(std::string_view metric) const {
  const auto known = [](bool is_known) { return is_known ? std::optional<double>(1.0) : std::nullopt; };
  if (metric == metric::kMinBytes) return known(input_->work.bytes > 0.0);
  if (metric == metric::kFlops) return known(input_->work.flops > 0.0);
  if (metric == metric::kLaunch) return known(resources().threads_per_block > 0 && resources().blocks > 0);
  const auto counted = [&](const std::string& name) {
    const auto found = measurement_->counters.find(name);
    const bool is_known = found != measurement_->counters.end() && std::isfinite(found->second);
    return is_known ? std::optional<double>(found->second) : std::nullopt;
  };
  // The counters of loads and stores do not include other accesses to the banks.
  if (metric == metric::kSharedWavefronts) {
    const std::optional<double> loads = counted(metric::kSharedLoadWavefronts);
    const std::optional<double> stores = counted(metric::kSharedStoreWavefronts);
    if (loads && stores) return *loads + *stores;
  }
  const std::optional<double> value = counted(std::string(metric));
  const bool has_no_local_memory = resources().threads_per_block > 0 && resources().local_bytes == 0;
  if (metric == model::own_metric::kSpillBytes && !value && has_no_local_memory) return 0.0;
  return value;
}

double Facts::sm_cycles() const {
  const double mhz =
      find(model::own_metric::kSmClockMhz).value_or(static_cast<double>(input_->gpu.max_clock_khz) / 1000.0);
  return time_ns() * mhz / 1000.0;
}

double Facts::share_of_cycles(double sum) const {
  const double cycles = sm_cycles() * input_->gpu.sm_count;
  return cycles > 0.0 ? sum / cycles : 0.0;
}

double Facts::issue_share_of_launch() const {
  return share_of_cycles(value(metric::kInstructions)) / kSchedulers;
}

double Facts::theoretical_occupancy() const { return diagnosis::theoretical_occupancy(resources(), limits_); }

std::int64_t Facts::blocks_per_sm() const { return resident_blocks_per_sm(resources(), limits_); }

double Facts::waves() const { return diagnosis::waves(input_->gpu, resources(), limits_); }

double Facts::lanes_in_use() const {
  const std::int64_t threads = resources().threads_per_block;
  const std::int64_t warps = (threads + 31) / 32;
  return warps > 0 ? static_cast<double>(threads) / static_cast<double>(warps) : 32.0;
}

// Returns the written share of the traffic as it was counted, or otherwise as the kernel's arguments say.
double Facts::written_share() const {
  const std::optional<double> read = find(metric::kDramBytesRead);
  const std::optional<double> written = find(metric::kDramBytesWritten);
  if (!read || !written || *read + *written <= 0.0) return input_->work.written_share;
  return *written / (*read + *written);
}

void Facts::add_units() {
  const auto add = [&](Unit unit, double share) { units_.push_back({unit, std::clamp(share, 0.0, 1.0)}); };
  const std::optional<double> bytes = find(metric::kDramBytes);
  const double roof = model::memory_roof(input_->roofs, written_share());
  if (bytes && roof > 0.0) {
    add(Unit::kDeviceMemory, *bytes / (time_ns() * 1e-9) / roof);
  } else if (const std::optional<double> percent = find(metric::kDramThroughput)) {
    add(Unit::kDeviceMemory, *percent / 100.0);
  }
  if (const std::optional<double> percent = find(metric::kL1Throughput)) {
    add(Unit::kL1, *percent / 100.0);
  } else if (const std::optional<double> wavefronts = find(metric::kSharedWavefronts)) {
    add(Unit::kL1, share_of_cycles(*wavefronts));
  }
  for (const auto& [unit, name] : kUnitMetrics) {
    if (const std::optional<double> percent = find(name)) add(unit, *percent / 100.0);
  }
}

std::optional<double> Facts::use(Unit unit) const {
  for (const UnitUse& known : units_) {
    if (known.unit == unit) return known.use;
  }
  return std::nullopt;
}

UnitUse Facts::busiest_except(std::initializer_list<Unit> relieved) const {
  UnitUse maximum;
  for (const UnitUse& known : units_) {
    const bool left_out = std::find(relieved.begin(), relieved.end(), known.unit) != relieved.end();
    if (!left_out && known.use > maximum.use) maximum = known;
  }
  return maximum;
}

double Facts::bounded(double waste, std::initializer_list<Unit> relieved) const {
  return std::clamp(std::min(waste, 1.0 - busiest_except(relieved).use), 0.0, 1.0);
}

double Facts::memory_share() const {
  double busy = 0.0;
  for (const Unit unit : kMemoryUnits) busy = std::max(busy, use(unit).value_or(0.0));
  double waiting = 0.0;
  for (const char* reason : {"long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "drain"})
    waiting += stall_share(reason).value_or(0.0);
  return std::max(busy, std::min(waiting, 1.0));
}

std::optional<double> Facts::stall_share(std::string_view reason) const {
  const std::optional<double> stalled = find(counters::stall_metric(reason));
  const std::optional<double> occupancy = find(metric::kAchievedOccupancy);
  const std::optional<double> issued = find(metric::kIssueSlots);
  if (!stalled || !occupancy || !issued || *occupancy <= 0.0) return std::nullopt;
  const double max_warps = static_cast<double>(input_->gpu.max_threads_per_sm) / 32.0 / kSchedulers;
  const double warps = *occupancy / 100.0 * max_warps;
  return std::clamp(*stalled * (*issued / 100.0) / warps, 0.0, 1.0);
}

}  // namespace warptune::profiling::diagnosis
