#include "profiling/diagnosis/facts.h"

#include <algorithm>
#include <cmath>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules.h"

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
// If the start and the end take more than this share of a launch, the use of a unit is not corrected for
// them.
constexpr double kMaxRampShare = 0.5;
// Asynchronous copies make requests, too, but are not counted as loads. If there are fewer loads than this
// share of the requests, there were such copies. Without them, the two counters differ only by rounding.
constexpr double kAllOrdinary = 0.99;
// The number of sectors of the widest access: 32 lanes of 16 bytes are 512 bytes.
constexpr double kMaxNeededSectors = 16.0;

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
  if (metric == metric::kUsedBytesOfLoads) {
    const std::optional<double> requests = counted(metric::kGlobalLoadRequests);
    const std::optional<double> loads = counted(metric::kGlobalLoads);
    const bool has_copies = requests && loads && *loads < kAllOrdinary * *requests;
    return known(!has_copies || counted(metric::kSectorsPerLoad).value_or(0.0) > kMaxNeededSectors);
  }
  // The sum of loads and stores is preferred: the total also contains other accesses to the banks.
  if (metric == metric::kSharedWavefronts) {
    const std::optional<double> loads = counted(metric::kSharedLoadWavefronts);
    const std::optional<double> stores = counted(metric::kSharedStoreWavefronts);
    if (loads && stores) return *loads + *stores;
  }
  const std::optional<double> value = counted(std::string(metric));
  const bool has_no_local_memory = resources().threads_per_block > 0 && resources().local_bytes == 0;
  const bool is_of_local_memory = metric == model::own_metric::kSpillBytes || metric == metric::kLocalLoads ||
                                  metric == metric::kLocalStores;
  if (is_of_local_memory && !value && has_no_local_memory) return 0.0;
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

double Facts::ramp_share() const { return std::min(1.0, kRampNs / time_ns()); }

bool Facts::is_short() const { return ramp_share() >= 1.0 - kReached; }

double Facts::without_ramp(double use) const {
  const double ramp = ramp_share();
  return ramp > kMaxRampShare ? use : std::min(1.0, use / (1.0 - ramp));
}

double Facts::issue_share_of_launch() const {
  return share_of_cycles(value(metric::kInstructions)) / kSchedulers;
}

double Facts::theoretical_occupancy() const { return diagnosis::theoretical_occupancy(resources(), limits_); }

std::int64_t Facts::blocks_per_sm() const { return resident_blocks_per_sm(resources(), limits_); }

std::optional<double> Facts::waves() const { return diagnosis::waves(input_->gpu, resources(), limits_); }

double Facts::lanes_in_use() const {
  const std::int64_t threads = resources().threads_per_block;
  const std::int64_t warps = (threads + 31) / 32;
  return warps > 0 ? static_cast<double>(threads) / static_cast<double>(warps) : 32.0;
}

// Returns the written share of the traffic as it was counted. If it was not, returns the share that follows
// from the kernel's arguments.
std::optional<double> Facts::written_share() const {
  const std::optional<double> read = find(metric::kDramBytesRead);
  const std::optional<double> written = find(metric::kDramBytesWritten);
  const double all_written = written.value_or(0.0) + deferred_bytes();
  if (!read || !written || *read + all_written <= 0.0) return input_->work.written_share;
  return all_written / (*read + all_written);
}

double Facts::deferred_bytes() const {
  const std::optional<double> written = find(metric::kDramBytesWritten);
  if (!written || input_->cache != model::CacheState::kCold) return 0.0;
  const double to_write = input_->work.bytes * input_->work.written_share.value_or(0.0);
  return std::clamp(to_write - *written, 0.0, static_cast<double>(input_->gpu.l2_bytes));
}

std::optional<UnitUse> Facts::device_memory() const {
  const std::optional<double> bytes = find(metric::kDramBytes);
  const std::optional<double> roof = model::memory_roof(input_->roofs, written_share());
  if (bytes && roof > 0.0) {
    const double full = time_ns() * 1e-9 * *roof;
    const double use = std::min(1.0, (*bytes + deferred_bytes()) / full);
    // L2 takes the deferred bytes at the start and the end of the launch, so they are not corrected for
    // these.
    return UnitUse{Unit::kDeviceMemory, use, std::max(use, without_ramp(*bytes / full))};
  }
  const std::optional<double> percent = find(metric::kDramThroughput);
  if (!percent) return std::nullopt;
  const double use = std::clamp(*percent / 100.0, 0.0, 1.0);
  return UnitUse{Unit::kDeviceMemory, use, without_ramp(use)};
}

void Facts::add_units() {
  // L2 counts every cycle of the launch. The SMs count only those in which they have warps.
  const auto add = [&](Unit unit, double share) {
    const double use = std::clamp(share, 0.0, 1.0);
    units_.push_back({unit, use, unit == Unit::kL2 ? without_ramp(use) : use});
  };
  if (const std::optional<UnitUse> memory = device_memory()) units_.push_back(*memory);
  if (const std::optional<double> percent = find(metric::kL1Throughput)) {
    add(Unit::kL1, *percent / 100.0);
  } else if (const std::optional<double> wavefronts = find(metric::kSharedWavefronts)) {
    add(Unit::kL1, share_of_cycles(*wavefronts));
  }
  for (const auto& [unit, name] : kUnitMetrics) {
    if (const std::optional<double> percent = find(name)) add(unit, *percent / 100.0);
  }
}

std::optional<UnitUse> Facts::unit(Unit unit) const {
  for (const UnitUse& known : units_) {
    if (known.unit == unit) return known;
  }
  return std::nullopt;
}

std::optional<double> Facts::use(Unit unit) const {
  const std::optional<UnitUse> known = this->unit(unit);
  return known ? std::optional<double>(known->use) : std::nullopt;
}

UnitUse Facts::busiest_while_full(const std::vector<Unit>& relieved) const {
  UnitUse maximum;
  for (const UnitUse& known : units_) {
    const bool left_out = std::find(relieved.begin(), relieved.end(), known.unit) != relieved.end();
    if (!left_out && known.steady > maximum.steady) maximum = known;
  }
  return maximum;
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

double Facts::busiest_of(std::initializer_list<Unit> units) const {
  double busy = 0.0;
  for (const Unit unit : units) busy = std::max(busy, use(unit).value_or(0.0));
  return busy;
}

// Waiting for shared memory and special functions (`short_scoreboard`) does not count.
std::optional<double> Facts::waiting_for_memory() const {
  const std::optional<double> loads = stall_share("long_scoreboard");
  if (!loads) return std::nullopt;
  return std::min(1.0, *loads + waiting_for_queues());
}

double Facts::waiting_for_queues() const {
  return stall_share("lg_throttle").value_or(0.0) + stall_share("drain").value_or(0.0);
}

double Facts::memory_share(std::initializer_list<Unit> units) const {
  const double busy = busiest_of(units);
  const std::optional<double> waiting = waiting_for_memory();
  if (!waiting) return busy;
  return std::max(busy >= kNotTheLimit ? busy : 0.0, *waiting);
}

double Facts::store_share(std::initializer_list<Unit> units) const {
  const double busy = busiest_of(units);
  if (!stall_share("lg_throttle")) return busy;
  return std::max(busy >= kNotTheLimit ? busy : 0.0, waiting_for_queues());
}

double Facts::full_queue_share() const {
  const double waiting = waiting_for_memory().value_or(0.0) + stall_share("mio_throttle").value_or(0.0);
  return std::max(memory_share(), std::min(1.0, waiting));
}

double Facts::compute_share() const {
  const double busy = busiest_of(kComputeUnits);
  return std::max(busy >= kNotTheLimit ? busy : 0.0, 1.0 - waiting_for_memory().value_or(0.0));
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
