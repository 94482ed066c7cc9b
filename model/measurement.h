#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/gpu_description.h"
#include "model/value.h"

namespace warptune::model {

/// How an evaluation ended. Only a configuration with `kMeasured` has a time that is ranked.
enum class Status {
  kMeasured,
  /// The result was correct, but the measurement was stopped early because the configuration cannot be the
  /// best. The time is censored: `time.median_ns` is an estimate from a few launches, and `time.low_ns` is a
  /// lower bound. Such a configuration is never ranked or exported.
  kDropped,
  kCompileFailed,  ///< NVRTC or ptxas reported an error.
  kLaunchInvalid,  ///< It cannot run on this GPU (threads, shared memory, registers); nothing was launched.
  kLaunchFailed,   ///< The driver refused the launch, or the kernel faulted.
  kWrongResult,    ///< The output differs from the reference, or a write went outside of the outputs.
  kImplausible,    ///< The output is right, but the time or the counters are impossible; see `reason`.
  kTimedOut,       ///< The compiler or a launch exceeded its deadline.
  kWorkerDied      ///< The process that evaluated it ended unexpectedly.
};

/// The name of a status as it is stored and printed: `measured`, `dropped`, `compile_failed`, ...
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);
/// The same, for `encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<Status>& status) {
  status = parse_status(text);
}
/// All statuses, in order.
const std::vector<Status>& all_statuses();

/// The cause of a rejection.
enum class RejectionCause {
  kCandidate,      ///< As far as is known, the configuration or its program is the cause.
  kOutOfMemory,    ///< The compiler needs more memory than it may take.
  kNoLinker,       ///< The machine lacks the linker or a device library of the toolkit.
  kCompilerFailed  ///< The compiler or the linker itself failed: an error code without a message.
};

/// The name of a cause as processes send it: `candidate`, `out_of_memory`, `no_linker`, `compiler_failed`.
std::string_view to_string(RejectionCause cause);
std::optional<RejectionCause> parse_rejection_cause(std::string_view text);
/// The same, for `encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<RejectionCause>& cause) {
  cause = parse_rejection_cause(text);
}
/// All causes, in order.
const std::vector<RejectionCause>& all_rejection_causes();

/// A candidate that failed. It is data and not an exception. Code decides by `status` and `cause`. `reason`
/// is text for people, and code never searches it.
struct Rejection {
  Status status = Status::kLaunchFailed;
  std::string reason;
  RejectionCause cause = RejectionCause::kCandidate;
};
template <class T>
using Outcome = base::Result<T, Rejection>;

/// Whether a rejection is caused by the machine and says nothing about the candidate. The candidate may work
/// on another machine or later.
bool is_environment_failure(const Rejection& rejection);

/// The median of samples with a distribution-free 95 % interval from order statistics.
struct TimeSummary {
  /// NaN if only the interval is known: that of a dropped row without an estimate, in files and databases of
  /// other tools and earlier versions. `median_ns_of` has no value then.
  double median_ns = 0.0;
  /// The ends of the interval. A row may lack them, for example one that was read from an exported header.
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};

  bool operator==(const TimeSummary&) const = default;
};
/// Summarises time samples in any order by `median_interval`. It has no value if there are no samples. For
/// values that are not times use `median_of`.
std::optional<TimeSummary> summarise(std::vector<double> samples_ns);

/// The resources of an SM that the compiled code and its launch use.
struct ResourceUse {
  std::int64_t registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes = 0;  ///< Bytes of a thread's stack frame: spills and indexed arrays.
  std::int64_t threads_per_block = 0;
  std::int64_t blocks = 0;
  std::optional<std::int64_t> blocks_per_sm = {};    ///< From the driver's occupancy calculator.
  std::optional<double> theoretical_occupancy = {};  ///< Resident warps over the SM's maximum, 0..1.
};

/// The values of metrics by name. Counters have CUPTI's names; warptune's own names have no dot.
using Counters = std::map<std::string, double>;

/// Whether a metric is a share or a rate of elapsed time, according to the rules of CUPTI's names.
bool is_per_elapsed_time(std::string_view metric);
/// Removes the duration and all metrics that relate to elapsed time.
void drop_elapsed(Counters& counters);

/// Removes the metrics that a disturbed count makes wrong, and returns whether the count was disturbed. In 1
/// to 35 of 1000 launches on an H200 some milliseconds pass inside the counted range but outside of the
/// launch. Then `gpu__time_duration.sum` and all shares of elapsed time (`..._elapsed`) are wrong, while sums
/// and shares of active cycles are right. A count is disturbed if its duration exceeds 1.5 times the median
/// plus 100 us. The overhead of counting itself stays below this limit, even for short kernels.
/// Without a median, no count is disturbed.
bool drop_disturbed_counters(Counters& counters, std::optional<double> median_ns);

/// The arithmetic operations of a launch, which are computed from the instructions that its threads execute.
inline constexpr const char* kOperationMetrics[] = {"fp32_operations", "fp64_operations", "fp16_operations"};

/// Whether the profiler patches a kernel's code to count a metric (`smsp__sass_...`), or whether the metric
/// is computed from such ones. The profiler does not patch the nodes of a CUDA graph. Such a metric of a
/// graph was always 0 on an H200.
bool needs_patched_code(std::string_view metric);
/// Removes the metrics that need patched code, and returns whether there were any.
bool drop_patched_counters(Counters& counters);
/// The same, but only if the code was not patched. Earlier versions stored zeros for CUDA graphs. Every
/// kernel ends with a control instruction. So the code was not patched if instructions were executed, but
/// none of them was a control instruction.
bool drop_unpatched_counters(Counters& counters);

/// Who measured a row. The order is that of their ranks: a replayed row never stands in for a measured one,
/// and an imported row for neither.
enum class RowSource {
  kMeasured,  ///< A session of this or of a merged database, on a GPU.
  kReplayed,  ///< A session took it from a recording.
  kImported   ///< `warptune db import` took it from a file. Nobody has verified it.
};

/// The word for a source in output: `measured`, `replayed`, `imported`.
std::string_view to_string(RowSource source);

/// The stored outcome of an evaluation. It may be a failure.
struct Measurement {
  NamedValues configuration;
  Status status = Status::kLaunchFailed;
  std::string reason;  ///< Empty when it was measured.
  /// It has no value if the configuration failed before it was timed.
  std::optional<TimeSummary> time;
  std::vector<double> samples_ns;  ///< In the order of measurement.
  ResourceUse resources;
  Counters counters;               ///< Empty when nothing was counted.
  double compile_ms = 0.0;         ///< The time that NVRTC took.
  double measure_ms = 0.0;         ///< Elapsed time on the GPU worker.
  std::int64_t time_stamp_ms = 0;  ///< The Unix time when it finished.
  /// Databases store this, recordings do not.
  RowSource source = RowSource::kMeasured;
};

/// The parts of a measurement's time in ns, without a value if it has none.
std::optional<double> median_ns_of(const Measurement& measurement);
std::optional<double> low_ns_of(const Measurement& measurement);
std::optional<double> high_ns_of(const Measurement& measurement);

/// The environment of a session. It is stored with the session.
struct Environment {
  std::string warptune_version;
  std::optional<int> driver_version = {};  ///< In CUDA's form: 13000.
  int nvrtc_version = 0;                   ///< In the same form.
  std::int64_t sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::string throttle_reasons;  ///< NVML's mask in hexadecimal at the session's start; empty when unknown.
  /// The release of the NVIDIA driver: `580.65.06`. Empty when unknown, as in rows of earlier versions.
  std::string driver_release = {};
};

/// A version in CUDA's form as text: `13.0` for 13000. 0 gives `unknown`.
std::string cuda_version_text(std::int64_t version);
/// The driver for people: `580.65.06 (CUDA 13.0)`, or `13.0` if its release is unknown.
std::string driver_text(const Environment& environment);

/// The ceilings (roofs) of a GPU, to which efficiencies refer. A ceiling that is unknown has no value.
struct Roofs {
  /// Measured by a copy on the device: bytes read plus bytes written.
  std::optional<double> copy_bytes_per_s = {};
  std::optional<double> fp32_theory_flops_per_s = {};  ///< `GpuDescription::peak_fp32_flops`.
  std::optional<double> read_bytes_per_s = {};         ///< Measured by reading only.
  /// Measured; a fused multiply-add counts as 2 operations.
  std::optional<double> fp32_measured_flops_per_s = {};
  std::optional<double> fp64_flops_per_s = {};    ///< Measured.
  std::optional<double> tensor_flops_per_s = {};  ///< Measured on the tensor cores: f16 inputs, f32 sums.

  bool operator==(const Roofs&) const = default;
};

/// The unit that does the arithmetic of `Work::flops`.
enum class ArithmeticUnit { kFp32, kFp64, kTensor };

/// The name of a unit in definitions, in the database and in output: `fp32`, `fp64`, `tensor`.
std::string_view to_string(ArithmeticUnit unit);
std::optional<ArithmeticUnit> parse_arithmetic_unit(std::string_view text);
/// The same, for `encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<ArithmeticUnit>& unit) {
  unit = parse_arithmetic_unit(text);
}

/// The work of one launch for a problem.
struct Work {
  double flops = 0.0;
  double bytes = 0.0;  ///< The minimum that must move through device memory.
  ArithmeticUnit unit = ArithmeticUnit::kFp32;
  /// The share of `bytes` that is written, 0..1. Writing takes longer than reading.
  std::optional<double> written_share = {};
};

/// The higher of the copy roof and the read roof in bytes per second, because a kernel that mostly reads can
/// exceed a copy. It has no value when neither is known.
std::optional<double> memory_roof(const Roofs& roofs);
/// The bandwidth in bytes per second that a launch can reach if it writes `written_share` (0..1) of its
/// bytes. The time of a byte read follows from the read roof. The time of a byte written is the rest of a
/// copy's time. If one roof is unknown, the result is the other roof. An unknown share counts as 0.
std::optional<double> memory_roof(const Roofs& roofs, std::optional<double> written_share);
/// The FLOP/s of a unit. For FP32 it is the theoretical peak if no measurement exists.
std::optional<double> compute_roof(const Roofs& roofs, ArithmeticUnit unit);
/// The ridge point in FLOP per byte, if both roofs are known. The compute roof limits a launch with more FLOP
/// per byte (Williams, Waterman and Patterson, Roofline, CACM 52(4), 2009).
std::optional<double> ridge_flops_per_byte(const Roofs& roofs, ArithmeticUnit unit);

/// The roof that limits a launch: the one with the longer time for its work.
enum class BindingRoof { kNone, kMemory, kCompute };
/// The name of a roof: `memory`, `compute`, `none`.
std::string_view to_string(BindingRoof roof);
BindingRoof binding_roof(const Work& work, const Roofs& roofs);

/// The minimum time in ns that the roofs allow for the work. It has no value when no roof of the work is
/// known.
std::optional<double> roof_time_ns(const Work& work, const Roofs& roofs);

/// The content of the L2 cache when a timed launch begins.
enum class CacheState {
  kCold,    ///< L2 holds no data of the kernel: it is flushed between launches, or the data is too large to
            ///< stay.
  kWarm,    ///< L2 holds what the previous launch left.
  kUnknown  ///< The file of another tuner does not say. Nothing is measured in this state.
};

/// The name of a cache state in options, in the database and in output: `cold`, `warm`, `unknown`.
std::string_view to_string(CacheState state);
/// The state as a part of a sentence, after "from": `a cold L2 cache`, `an L2 cache in an unknown state`.
std::string_view l2_text(CacheState state);
std::optional<CacheState> parse_cache_state(std::string_view text);
/// The same, for `encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<CacheState>& state) {
  state = parse_cache_state(text);
}

/// A kernel, a problem, a GPU and the state of its L2 cache, to which a result belongs. They are keys of the
/// database and the head of a recording.
struct Workload {
  std::string kernel;       ///< The name of the kernel.
  std::string kernel_hash;  ///< A hash of the source with its includes, space, constraints and flags.
  NamedValues problem;
  GpuDescription gpu;
  CacheState cache = CacheState::kCold;
};

/// The machine code of one configuration.
struct ConfigurationCode {
  model::NamedValues configuration;
  std::string digest;  ///< A hash that tells whether two codes are the same. It is never empty.

  bool operator==(const ConfigurationCode&) const = default;
};

/// What is known of the machine code to which the text of a workload's kernel compiles (docs/database.md,
/// "Rows of a changed text").
struct WorkloadCode {
  std::string form;       ///< A hash of everything in the kernel's definition except its sources.
  int nvrtc_version = 0;  ///< The version of NVRTC that compiled: 13000 is 13.0.
  std::string reference;  ///< The digest of the program that gives the right outputs; empty if there is none.
  std::vector<ConfigurationCode> configurations;  ///< The reference configurations.

  bool operator==(const WorkloadCode&) const = default;
};

}  // namespace warptune::model
