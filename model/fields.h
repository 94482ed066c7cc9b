#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "model/roof_reading.h"

/// The only list of the members that are stored or sent by name. `visit_fields(object, visit)` calls
/// `visit(name, member)` for each member, in order. With a constant object `visit` can write the members to a
/// file or message. With any other object it can also set them from one. A member may itself have fields:
/// `visit` decides what to do with it.
namespace warptune::model {

/// Databases and recordings write an optional number as 0 when it is unknown: their columns are older than
/// the optional members. No such member is 0 when it is known.
template <class T>
T stored_number(const std::optional<T>& number) {
  return number.value_or(T{});
}
/// The reverse of `stored_number`. 0 and NaN mean unknown.
template <class T>
std::optional<T> from_stored_number(T number) {
  if (number == T{} || number != number) return std::nullopt;
  return number;
}

/// NaN stands for an unknown number in the columns of times, in messages between processes and in the C
/// interface. Everywhere else an unknown number is a `std::optional` without a value.
constexpr double or_nan(std::optional<double> number) {
  return number.value_or(std::numeric_limits<double>::quiet_NaN());
}
/// The reverse of `or_nan`.
constexpr std::optional<double> from_nan(double number) {
  if (number != number) return std::nullopt;
  return number;
}

/// Whether `T` is `Of` or `const Of`.
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

/// A member that holds bytes instead of text: `visit` receives it in this wrapper.
template <MaybeConst<std::string> Bytes>
struct BytesField {
  Bytes& bytes;
};
template <MaybeConst<std::string> Bytes>
BytesField<Bytes> as_bytes(Bytes& bytes) {
  return {bytes};
}

template <MaybeConst<GpuDescription> Object, class Visit>
void visit_fields(Object& gpu, Visit&& visit) {
  visit("name", gpu.name);
  visit("compute_major", gpu.compute_major);
  visit("compute_minor", gpu.compute_minor);
  visit("sm_count", gpu.sm_count);
  visit("l2_bytes", gpu.l2_bytes);
  visit("memory_bytes", gpu.memory_bytes);
  visit("memory_bandwidth_bytes_per_s", gpu.memory_bandwidth_bytes_per_s);
  visit("max_clock_khz", gpu.max_clock_khz);
  visit("ecc", gpu.ecc);
  visit("mig", gpu.mig);
  visit("max_threads_per_block", gpu.max_threads_per_block);
  visit("max_threads_per_sm", gpu.max_threads_per_sm);
  visit("max_blocks_per_sm", gpu.max_blocks_per_sm);
  visit("registers_per_sm", gpu.registers_per_sm);
  visit("shared_bytes_per_block", gpu.shared_bytes_per_block);
  visit("shared_bytes_per_block_optin", gpu.shared_bytes_per_block_optin);
  visit("shared_bytes_per_sm", gpu.shared_bytes_per_sm);
  visit("warp_size", gpu.warp_size);
  visit("chip", gpu.chip);
}

template <MaybeConst<Environment> Object, class Visit>
void visit_fields(Object& environment, Visit&& visit) {
  visit("warptune_version", environment.warptune_version);
  visit("driver_version", environment.driver_version);
  visit("nvrtc_version", environment.nvrtc_version);
  visit("sm_clock_mhz", environment.sm_clock_mhz);
  visit("memory_clock_mhz", environment.memory_clock_mhz);
  visit("throttle_reasons", environment.throttle_reasons);
  visit("driver_release", environment.driver_release);
}

template <MaybeConst<Roofs> Object, class Visit>
void visit_fields(Object& roofs, Visit&& visit) {
  visit("copy_bytes_per_s", roofs.copy_bytes_per_s);
  visit("fp32_theory_flops_per_s", roofs.fp32_theory_flops_per_s);
  visit("read_bytes_per_s", roofs.read_bytes_per_s);
  visit("fp32_measured_flops_per_s", roofs.fp32_measured_flops_per_s);
  visit("fp64_flops_per_s", roofs.fp64_flops_per_s);
  visit("tensor_flops_per_s", roofs.tensor_flops_per_s);
}

/// The names of version 1 of recordings. Two of them are misleading: `memory_bytes_per_s` is the bandwidth of
/// a copy, and `fp32_flops_per_s` is the theoretical peak. No new format may use them.
template <MaybeConst<Roofs> Object, class Visit>
void visit_first_names(Object& roofs, Visit&& visit) {
  visit("memory_bytes_per_s", roofs.copy_bytes_per_s);
  visit("fp32_flops_per_s", roofs.fp32_theory_flops_per_s);
  visit("read_bytes_per_s", roofs.read_bytes_per_s);
  visit("fp32_measured_flops_per_s", roofs.fp32_measured_flops_per_s);
  visit("fp64_flops_per_s", roofs.fp64_flops_per_s);
  visit("tensor_flops_per_s", roofs.tensor_flops_per_s);
}

template <MaybeConst<RoofReading> Object, class Visit>
void visit_fields(Object& reading, Visit&& visit) {
  visit("name", reading.name);
  visit("value", reading.value);
  visit("relative_spread", reading.relative_spread);
  visit("sm_clock_mhz", reading.sm_clock_mhz);
  visit("time_stamp_ms", reading.time_stamp_ms);
  visit("driver_version", reading.driver_version);
}

template <MaybeConst<ResourceUse> Object, class Visit>
void visit_fields(Object& use, Visit&& visit) {
  visit("registers_per_thread", use.registers_per_thread);
  visit("static_shared_bytes", use.static_shared_bytes);
  visit("dynamic_shared_bytes", use.dynamic_shared_bytes);
  visit("local_bytes", use.local_bytes);
  visit("threads_per_block", use.threads_per_block);
  visit("blocks", use.blocks);
  visit("blocks_per_sm", use.blocks_per_sm);
  visit("theoretical_occupancy", use.theoretical_occupancy);
}

template <MaybeConst<Work> Object, class Visit>
void visit_fields(Object& work, Visit&& visit) {
  visit("flops", work.flops);
  visit("bytes", work.bytes);
  visit("unit", work.unit);
  visit("written_share", work.written_share);
}

/// A time that may be missing: `visit` receives it in this wrapper. Its fields are three numbers, which are
/// NaN if they are unknown.
template <MaybeConst<std::optional<TimeSummary>> Time>
struct TimeField {
  Time& time;
};
template <MaybeConst<std::optional<TimeSummary>> Time>
TimeField<Time> as_numbers(Time& time) {
  return {time};
}

template <class Time, class Visit>
void visit_fields(const TimeField<Time>& field, Visit&& visit) {
  const TimeSummary time = field.time.value_or(TimeSummary{or_nan(std::nullopt)});
  double median_ns = time.median_ns;
  double low_ns = or_nan(time.low_ns);
  double high_ns = or_nan(time.high_ns);
  visit("median_ns", median_ns);
  visit("low_ns", low_ns);
  visit("high_ns", high_ns);
  if constexpr (!std::is_const_v<Time>) {
    field.time.reset();
    if (from_nan(median_ns) || from_nan(low_ns) || from_nan(high_ns))
      field.time = {median_ns, from_nan(low_ns), from_nan(high_ns)};
  }
}

template <MaybeConst<Measurement> Object, class Visit>
void visit_fields(Object& measurement, Visit&& visit) {
  visit("configuration", measurement.configuration);
  visit("status", measurement.status);
  visit("reason", measurement.reason);
  visit("time", as_numbers(measurement.time));
  visit("samples_ns", measurement.samples_ns);
  visit("resources", measurement.resources);
  visit("counters", measurement.counters);
  visit("compile_ms", measurement.compile_ms);
  visit("measure_ms", measurement.measure_ms);
  visit("time_stamp_ms", measurement.time_stamp_ms);
}

template <MaybeConst<Rejection> Object, class Visit>
void visit_fields(Object& rejection, Visit&& visit) {
  visit("status", rejection.status);
  visit("reason", rejection.reason);
  visit("cause", rejection.cause);
}

}  // namespace warptune::model
