#include "model/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "model/fields.h"
#include "model/median.h"

namespace warptune::model {

namespace {

constexpr std::array<std::pair<Status, std::string_view>, 9> kStatuses = {
    {{Status::kMeasured, "measured"},
     {Status::kDropped, "dropped"},
     {Status::kCompileFailed, "compile_failed"},
     {Status::kLaunchInvalid, "launch_invalid"},
     {Status::kLaunchFailed, "launch_failed"},
     {Status::kWrongResult, "wrong_result"},
     {Status::kImplausible, "implausible"},
     {Status::kTimedOut, "timed_out"},
     {Status::kWorkerDied, "worker_died"}}};

constexpr std::array<std::pair<RejectionCause, std::string_view>, 4> kRejectionCauses = {
    {{RejectionCause::kCandidate, "candidate"},
     {RejectionCause::kOutOfMemory, "out_of_memory"},
     {RejectionCause::kNoLinker, "no_linker"},
     {RejectionCause::kCompilerFailed, "compiler_failed"}}};

// The conversions of an enumeration with names: from a value to its name, from a name to its value, and the
// list of all values.
template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class Value, std::size_t size>
std::optional<Value> value_in(const std::array<std::pair<Value, std::string_view>, size>& table,
                              std::string_view text) {
  for (const auto& [value, name] : table) {
    if (name == text) return value;
  }
  return std::nullopt;
}

template <class Value, std::size_t size>
std::vector<Value> values_in(const std::array<std::pair<Value, std::string_view>, size>& table) {
  std::vector<Value> all;
  all.reserve(size);
  for (const auto& entry : table) all.push_back(entry.first);
  return all;
}

std::optional<double> time_ns(double amount, std::optional<double> per_second) {
  if (!(amount > 0.0) || !(per_second > 0.0)) return std::nullopt;
  return amount / *per_second * 1e9;
}

}  // namespace

std::string_view to_string(Status status) { return name_in(kStatuses, status); }

std::optional<Status> parse_status(std::string_view text) { return value_in(kStatuses, text); }

const std::vector<Status>& all_statuses() {
  static const std::vector<Status> statuses = values_in(kStatuses);
  return statuses;
}

std::string_view to_string(RejectionCause cause) { return name_in(kRejectionCauses, cause); }

std::optional<RejectionCause> parse_rejection_cause(std::string_view text) {
  return value_in(kRejectionCauses, text);
}

const std::vector<RejectionCause>& all_rejection_causes() {
  static const std::vector<RejectionCause> causes = values_in(kRejectionCauses);
  return causes;
}

bool is_environment_failure(const Rejection& rejection) {
  return rejection.cause != RejectionCause::kCandidate;
}

std::string_view to_string(ArithmeticUnit unit) {
  switch (unit) {
    case ArithmeticUnit::kFp64:
      return "fp64";
    case ArithmeticUnit::kTensor:
      return "tensor";
    case ArithmeticUnit::kFp32:
      break;
  }
  return "fp32";
}

std::optional<ArithmeticUnit> parse_arithmetic_unit(std::string_view text) {
  for (const ArithmeticUnit unit : {ArithmeticUnit::kFp32, ArithmeticUnit::kFp64, ArithmeticUnit::kTensor}) {
    if (to_string(unit) == text) return unit;
  }
  return std::nullopt;
}

std::string_view to_string(BindingRoof roof) {
  switch (roof) {
    case BindingRoof::kMemory:
      return "memory";
    case BindingRoof::kCompute:
      return "compute";
    case BindingRoof::kNone:
      break;
  }
  return "none";
}

std::string_view to_string(RowSource source) {
  switch (source) {
    case RowSource::kReplayed:
      return "replayed";
    case RowSource::kImported:
      return "imported";
    case RowSource::kMeasured:
      break;
  }
  return "measured";
}

std::string_view to_string(CacheState state) {
  switch (state) {
    case CacheState::kWarm:
      return "warm";
    case CacheState::kUnknown:
      return "unknown";
    case CacheState::kCold:
      break;
  }
  return "cold";
}

std::string_view l2_text(CacheState state) {
  switch (state) {
    case CacheState::kWarm:
      return "a warm L2 cache";
    case CacheState::kUnknown:
      return "an L2 cache in an unknown state";
    case CacheState::kCold:
      break;
  }
  return "a cold L2 cache";
}

std::optional<CacheState> parse_cache_state(std::string_view text) {
  for (const CacheState state : {CacheState::kCold, CacheState::kWarm, CacheState::kUnknown}) {
    if (to_string(state) == text) return state;
  }
  return std::nullopt;
}

std::string cuda_version_text(std::int64_t version) {
  if (version == 0) return "unknown";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_text(const Environment& environment) {
  std::string version = cuda_version_text(environment.driver_version.value_or(0));
  if (environment.driver_release.empty()) return version;
  return environment.driver_release + " (CUDA " + version + ")";
}

std::optional<TimeSummary> summarise(std::vector<double> samples_ns) {
  const std::optional<MedianInterval> interval = median_interval(std::move(samples_ns));
  if (!interval) return std::nullopt;
  return TimeSummary{interval->median, interval->low, interval->high};
}

std::optional<double> median_ns_of(const Measurement& measurement) {
  return measurement.time ? from_nan(measurement.time->median_ns) : std::nullopt;
}

std::optional<double> low_ns_of(const Measurement& measurement) {
  return measurement.time ? measurement.time->low_ns : std::nullopt;
}

std::optional<double> high_ns_of(const Measurement& measurement) {
  return measurement.time ? measurement.time->high_ns : std::nullopt;
}

// A roof without a value is less than any other.
std::optional<double> memory_roof(const Roofs& roofs) {
  return std::max(roofs.copy_bytes_per_s, roofs.read_bytes_per_s);
}

std::optional<double> memory_roof(const Roofs& roofs, std::optional<double> written_share) {
  if (!(roofs.copy_bytes_per_s > 0.0) || !(roofs.read_bytes_per_s > 0.0)) return memory_roof(roofs);
  const double read_s = 1.0 / *roofs.read_bytes_per_s;
  // A copy that is more than twice as fast as reading alone can only be a wrong measurement.
  const double write_s = std::max(2.0 / *roofs.copy_bytes_per_s - read_s, 0.0);
  const double written = written_share.value_or(0.0);
  const double byte_s = (1.0 - written) * read_s + written * write_s;
  return byte_s > 0.0 ? 1.0 / byte_s : memory_roof(roofs);
}

std::optional<double> compute_roof(const Roofs& roofs, ArithmeticUnit unit) {
  switch (unit) {
    case ArithmeticUnit::kFp64:
      return roofs.fp64_flops_per_s;
    case ArithmeticUnit::kTensor:
      return roofs.tensor_flops_per_s;
    case ArithmeticUnit::kFp32:
      break;
  }
  return roofs.fp32_measured_flops_per_s ? roofs.fp32_measured_flops_per_s : roofs.fp32_theory_flops_per_s;
}

std::optional<double> ridge_flops_per_byte(const Roofs& roofs, ArithmeticUnit unit) {
  const std::optional<double> memory = memory_roof(roofs);
  const std::optional<double> compute = compute_roof(roofs, unit);
  if (!(memory > 0.0) || !compute) return std::nullopt;
  return *compute / *memory;
}

BindingRoof binding_roof(const Work& work, const Roofs& roofs) {
  const std::optional<double> memory_ns = time_ns(work.bytes, memory_roof(roofs, work.written_share));
  const std::optional<double> compute_ns = time_ns(work.flops, compute_roof(roofs, work.unit));
  if (!memory_ns && !compute_ns) return BindingRoof::kNone;
  return compute_ns > memory_ns ? BindingRoof::kCompute : BindingRoof::kMemory;
}

std::optional<double> roof_time_ns(const Work& work, const Roofs& roofs) {
  return std::max(time_ns(work.bytes, memory_roof(roofs, work.written_share)),
                  time_ns(work.flops, compute_roof(roofs, work.unit)));
}

bool is_per_elapsed_time(std::string_view metric) {
  if (metric.find("__cycles_elapsed.") != std::string_view::npos)
    return false;  // Cycles per second: a clock.
  return metric.ends_with("_elapsed") || metric.ends_with(".per_second");
}

void drop_elapsed(Counters& counters) {
  counters.erase("gpu__time_duration.sum");
  std::erase_if(counters, [](const auto& counter) { return is_per_elapsed_time(counter.first); });
}

bool drop_disturbed_counters(Counters& counters, std::optional<double> median_ns) {
  const auto duration = counters.find("gpu__time_duration.sum");
  if (duration == counters.end() || !median_ns) return false;
  if (!(duration->second > 1.5 * *median_ns + 1e5)) return false;
  drop_elapsed(counters);
  return true;
}

namespace {

constexpr const char* kControlInstructions = "smsp__sass_thread_inst_executed_op_control_pred_on.sum";

bool is_patched(std::string_view metric) { return metric.starts_with("smsp__sass_"); }

bool counts_instructions(std::string_view metric) {
  return metric.starts_with("smsp__inst_executed") || metric.starts_with("sm__inst_executed");
}

}  // namespace

bool needs_patched_code(std::string_view metric) {
  return is_patched(metric) || std::find(std::begin(kOperationMetrics), std::end(kOperationMetrics),
                                         metric) != std::end(kOperationMetrics);
}

bool drop_patched_counters(Counters& counters) {
  return std::erase_if(counters, [](const auto& counter) { return needs_patched_code(counter.first); }) > 0;
}

bool drop_unpatched_counters(Counters& counters) {
  const auto control = counters.find(kControlInstructions);
  if (control == counters.end() || control->second != 0.0) return false;
  const bool has_run = std::any_of(counters.begin(), counters.end(), [](const auto& counter) {
    return counts_instructions(counter.first) && counter.second > 0.0;
  });
  const bool all_are_zero = std::all_of(counters.begin(), counters.end(), [](const auto& counter) {
    return !is_patched(counter.first) || counter.second == 0.0;
  });
  return has_run && all_are_zero && drop_patched_counters(counters);
}

}  // namespace warptune::model
