#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/gpu_description.h"
#include "model/value.h"

namespace warptune::model {

/// How an evaluation ended. Only `kMeasured` has a time that ranks.
enum class Status {
  kMeasured,
  kDropped,  ///< Censored: correct, but given up early as hopeless. `time.median_ns` is an estimate from a
             ///< few launches, `time.low_ns` a bound it is slower than. Never ranked or exported.
  kCompileFailed,  ///< NVRTC or ptxas said no.
  kLaunchInvalid,  ///< Screened out: cannot run on this GPU (threads, shared memory, registers).
  kLaunchFailed,   ///< The driver refused the launch, or the kernel faulted.
  kWrongResult,    ///< Output differs from the reference, or memory outside the outputs was written.
  kImplausible,    ///< Right, but its time cannot be that of the work: `reason` says why.
  kTimedOut,       ///< Compile or launch passed its deadline.
  kWorkerDied      ///< The process that evaluated it ended.
};

/// `measured`, `dropped`, `compile_failed`, ...: the form stored and printed.
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);
/// All of them, in order.
const std::vector<Status>& all_statuses();

/// What is to blame for a rejection.
enum class RejectionCause {
  kCandidate,      ///< The configuration or its program, as far as anyone knows.
  kOutOfMemory,    ///< The compiler needs more memory than it may take.
  kNoLinker,       ///< The machine lacks the linker or a device library of the toolkit.
  kCompilerFailed  ///< The compiler or the linker failed by itself: an error code, no message on the program.
};

/// `candidate`, `out_of_memory`, `no_linker`, `compiler_failed`: the form sent between processes.
std::string_view to_string(RejectionCause cause);
std::optional<RejectionCause> parse_rejection_cause(std::string_view text);
/// All of them, in order.
const std::vector<RejectionCause>& all_rejection_causes();

/// A candidate that failed: data, not an exception. Code asks for `status` and `cause`; `reason` is a text
/// for people and never looked into.
struct Rejection {
  Status status = Status::kLaunchFailed;
  std::string reason;
  RejectionCause cause = RejectionCause::kCandidate;
};
template <class T>
using Outcome = base::Result<T, Rejection>;

/// Whether a rejection says something about the machine and nothing about the candidate, which may do well
/// elsewhere or later.
bool is_environment_failure(const Rejection& rejection);

/// The median of samples with a distribution-free 95 % interval from order statistics.
struct TimeSummary {
  double median_ns = std::numeric_limits<double>::quiet_NaN();
  double low_ns = std::numeric_limits<double>::quiet_NaN();
  double high_ns = std::numeric_limits<double>::quiet_NaN();
};
/// Summarises samples of a time in any order (`median_interval`). What is no time goes through `median_of`.
TimeSummary summarise(std::vector<double> samples_ns);

/// What the compiled code and its launch take of an SM.
struct ResourceUse {
  std::int64_t registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes = 0;  ///< Stack frame a thread: spills and indexed arrays.
  std::int64_t threads_per_block = 0;
  std::int64_t blocks = 0;
  std::int64_t blocks_per_sm = 0;      ///< By the driver's occupancy calculator; 0 when unknown.
  double theoretical_occupancy = 0.0;  ///< Resident warps over the SM's most, 0..1; 0 when unknown.
};

/// Metric name -> value; counters by CUPTI's names, ours without dots.
using Counters = std::map<std::string, double>;

/// Whether a metric is a share or a rate of the time that passed, by CUPTI's names.
bool is_of_elapsed_time(std::string_view metric);
/// Removes time and all that relates to it.
void drop_elapsed(Counters& counters);

/// Removes what a disturbed count makes wrong, and says whether there was any. Now and then (1 to 35 of 1000
/// launches on an H200) some milliseconds pass inside a counted range beside the launch; then
/// `gpu__time_duration.sum` and every share of elapsed time
/// (`..._elapsed`) say nothing, while sums and shares of active cycles hold. Disturbed: longer than half
/// again the median plus 100 us, which short kernels never reach by the range's own cost.
bool drop_disturbed_counters(Counters& counters, double median_ns);

/// The stored outcome of an evaluation, failed ones included.
struct Measurement {
  NamedValues configuration;
  Status status = Status::kLaunchFailed;
  std::string reason;  ///< Empty when measured.
  TimeSummary time;
  std::vector<double> samples_ns;  ///< In the order taken.
  ResourceUse resources;
  Counters counters;               ///< Empty when not counted.
  double compile_ms = 0.0;         ///< NVRTC's time.
  double measure_ms = 0.0;         ///< Wall time on the GPU worker.
  std::int64_t time_stamp_ms = 0;  ///< Unix time when it finished.
};

/// The environment of a session, stored beside it.
struct Environment {
  std::string warptune_version;
  int driver_version = 0;  ///< CUDA's form: 13000. 0 when unknown.
  int nvrtc_version = 0;   ///< 13000.
  std::int64_t sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::string throttle_reasons;  ///< NVML's mask in hexadecimal at the session's start, empty when unknown.
};

/// Ceilings of a GPU that efficiencies refer to; 0 where one is unknown.
struct Roofs {
  double copy_bytes_per_s = 0.0;           ///< Measured device-to-device copy, bytes read and written.
  double fp32_theory_flops_per_s = 0.0;    ///< `GpuDescription::peak_fp32_flops`.
  double read_bytes_per_s = 0.0;           ///< Measured: read only.
  double fp32_measured_flops_per_s = 0.0;  ///< Fused multiply-adds, 2 operations each, as the rest.
  double fp64_flops_per_s = 0.0;           ///< Measured.
  double tensor_flops_per_s = 0.0;         ///< Measured on the tensor cores: f16 in, sums in f32.

  bool operator==(const Roofs&) const = default;
};

/// What does the arithmetic that `Work::flops` counts.
enum class ArithmeticUnit { kFp32, kFp64, kTensor };

/// `fp32`, `fp64`, `tensor`: the form written in definitions, stored and printed.
std::string_view to_string(ArithmeticUnit unit);
std::optional<ArithmeticUnit> parse_arithmetic_unit(std::string_view text);

/// Work of one launch of a problem.
struct Work {
  double flops = 0.0;
  double bytes = 0.0;  ///< The least that must move through device memory.
  ArithmeticUnit unit = ArithmeticUnit::kFp32;
  /// Of `bytes`, 0..1: writing takes longer than reading. 0 where it is unknown.
  double written_share = 0.0;
};

/// The higher of what copying and reading reach, bytes a second: a kernel that mostly reads passes what a
/// copy reaches. 0 when neither is known.
double memory_roof(const Roofs& roofs);
/// What a launch can reach of whose bytes `written_share` (0..1) is written, bytes a second. Each byte read
/// takes what it takes when only reading, each byte written what is left of the copy's time; the higher of
/// both where one roof is unknown.
double memory_roof(const Roofs& roofs, double written_share);
/// FLOP/s of a unit; of FP32 the theory where nothing was measured. 0 when unknown.
double compute_roof(const Roofs& roofs, ArithmeticUnit unit);
/// FLOPs a byte from which on the unit and no longer the memory is the lower roof (Williams, Waterman and
/// Patterson, Roofline, CACM 52(4), 2009); 0 when either is unknown.
double ridge_flops_per_byte(const Roofs& roofs, ArithmeticUnit unit);

/// Which roof allows the least time.
enum class BindingRoof { kNone, kMemory, kCompute };
/// `memory`, `compute`, `none`.
std::string_view to_string(BindingRoof roof);
BindingRoof binding_roof(const Work& work, const Roofs& roofs);

/// The least time that roofs allow for work, ns; 0 when nothing is known.
double roof_time_ns(const Work& work, const Roofs& roofs);

/// What the L2 cache holds when a timed launch begins.
enum class CacheState {
  kCold,  ///< None of the kernel's data: flushed between launches, or too much to stay.
  kWarm   ///< What the launch before left.
};

/// `cold`, `warm`: the form stored, asked for and printed.
std::string_view to_string(CacheState state);
std::optional<CacheState> parse_cache_state(std::string_view text);

/// What a session is about; keys of the database and the head of a recording.
struct Workload {
  std::string kernel;       ///< Name.
  std::string kernel_hash;  ///< Source with its include closure, space, constraints and flags.
  NamedValues problem;
  GpuDescription gpu;
  CacheState cache = CacheState::kCold;
};

}  // namespace warptune::model
