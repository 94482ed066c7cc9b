// What a survey says about a whole program: how busy the GPUs were, why they were idle, and what to do first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/occupancy.h"
#include "survey/analysis/summaries/call_groups.h"
#include "survey/analysis/summaries/fill_groups.h"
#include "survey/analysis/summaries/graph_launches.h"
#include "survey/analysis/summaries/marked_ranges.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// All launches of one kernel, whatever their geometry.
struct KernelTime {
  records::Index name = 0;
  std::int64_t launches = 0;  ///< With those that are not listed one by one.
  std::int64_t duration = 0;  ///< The sum, in nanoseconds.
  /// The shortest listed launch, in nanoseconds. The median and the maximum are in nanoseconds, too. If no
  /// launch is listed, all three are the mean.
  std::int64_t minimum = 0;
  std::int64_t median = 0;
  std::int64_t maximum = 0;
  std::int64_t short_launches = 0;  ///< Those of less than 10 us.
  records::Index usual_shape = 0;   ///< The shape with the largest sum of durations.
  std::optional<double> occupancy;  ///< The theoretical occupancy of the usual shape, 0 to 1. Absent if the
                                    ///< GPU's limits are unknown.
  /// What limits this occupancy. Empty if it is 1 or unknown.
  std::vector<profiling::diagnosis::OccupancyLimiter> occupancy_limiters;
  double share = 0.0;  ///< The part of all kernels' duration, 0 to 1.
  /// By how much the run would be faster at most if this kernel took no time (Amdahl's law). Only the time
  /// counts during which nothing else ran on the GPU.
  double bound = 1.0;
};

/// All copies of one kind.
struct CopyGroup {
  records::CopyDirection direction = records::CopyDirection::kUnknown;
  records::MemoryKind source = records::MemoryKind::kUnknown;
  records::MemoryKind destination = records::MemoryKind::kUnknown;
  bool asynchronous = false;
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t duration = 0;          ///< The sum, in nanoseconds.
  std::optional<double> bytes_per_s;  ///< Absent if the duration is 0.
  /// The rate over that of the host link. It may be a little above 1 if the link's rate was measured, because
  /// measurements vary. Absent for copies that do not use the link, and if the
  /// link's rate is unknown.
  std::optional<double> host_link_share;
};

/// Why a GPU had nothing to do.
enum class IdleCause {
  kHost,        ///< The program's threads did something other than calling CUDA.
  kLaunching,   ///< A thread was within a launch.
  kWaiting,     ///< All threads that use CUDA waited for the GPU, which had just finished or had not begun.
  kCopying,     ///< A thread was within a copy, for example to stage pageable memory.
  kAllocating,  ///< A thread allocated or freed memory.
  kLoading,     ///< A thread loaded or compiled device code.
};
constexpr std::size_t kIdleCauses = 6;

/// How one GPU spent the survey's window. All are in nanoseconds.
struct DeviceTime {
  records::Index device = 0;
  /// No work on this GPU is listed, but work on another one is. CUPTI names all GPUs that a process may use.
  bool unused = false;
  std::int64_t window = 0;
  std::int64_t kernels = 0;      ///< At least one kernel ran.
  std::int64_t copies_only = 0;  ///< Copies or fills ran, and no kernel.
  std::int64_t idle = 0;         ///< Nothing ran. The three sum up to `window`.
  std::int64_t overlapped = 0;   ///< At least two activities ran at once.
  /// They sum up to `idle`. `idle_by_cause` (idle_causes.h) says what counts when threads do different
  /// things.
  std::array<std::int64_t, kIdleCauses> idle_by_cause{};
  std::int64_t copies_beside_kernels = 0;  ///< Copies or fills ran, and a kernel did.
  /// How much shorter the run could be at most if copies ran beside kernels: the smaller one of the time with
  /// copies only and the time with kernels only.
  std::int64_t copies_could_overlap = 0;
  std::int64_t streams = 0;  ///< Streams with work on this GPU.
  /// How much shorter the work of its streams could be at most if streams that wait for each other's turn ran
  /// at once (findings/stream_turns.h).
  std::int64_t streams_could_overlap = 0;
};

/// One thing that costs time, with what shows it.
struct Finding {
  std::string rule;  ///< Such as `pageable_copies`.
  std::string title;
  std::vector<std::string> evidence;
  std::string advice;
  double bound = 1.0;  ///< By how much the observed time would be shorter at most without it.
  /// The same for the part after the start-up. It is that of a long run. Absent if nothing follows the
  /// start-up, or if the finding is about the start-up only.
  std::optional<double> steady_bound;
};

/// What comes before a program repeats its work: loading the program and its libraries, creating the CUDA
/// context, and loading device code (`start_up_of`, start_up.h). Times are in nanoseconds since the survey
/// began.
struct StartUp {
  std::optional<std::int64_t> first_call;    ///< When the first process called CUDA.
  std::optional<std::int64_t> first_launch;  ///< When the first kernel began.
  std::int64_t end = 0;
  std::int64_t duration = 0;  ///< The observed part of it.
  std::int64_t loads = 0;     ///< Calls that loaded device code.
  std::int64_t loading = 0;   ///< The sum of their durations.
};

/// What an analysis may know besides the survey.
struct AnalysisOptions {
  /// The measured rate of the link between host and GPU in one direction. If it is absent, the theoretical
  /// rate of the GPU's generation is used (host_link.h).
  std::optional<double> host_link_bytes_per_s;
  std::optional<double>
      launch_s;  ///< The measured time of one of many launches of an empty kernel, if known.
  /// The survey has runs of a host program, one after another. Then only the rules for host programs are
  /// applied (`findings::FindingRule::in_host_programs`).
  bool host_program = false;
};

/// What a survey says.
struct SurveyAnalysis {
  std::int64_t observed = 0;  ///< The time to which all shares and bounds refer, in nanoseconds: the part of
                              ///< the run in which all work is listed (`observed_time`, device_timeline.h).
  /// Whether idle time may be work whose records are missing. Then no finding is about idle time.
  bool idle_is_uncertain = false;
  std::optional<double> host_link_bytes_per_s;  ///< As measured, or by theory. Absent if unknown.
  bool host_link_is_measured = false;           ///< Whether this rate was measured.
  StartUp start_up;
  std::vector<DeviceTime> devices;
  /// The part of the observed time from the end of the start-up to the end of the last activity. Its duration
  /// is 0 if there is none.
  records::Interval steady;
  std::vector<DeviceTime> steady_devices;        ///< The same GPUs in that part. Empty if there is none.
  std::vector<KernelTime> kernels;               ///< The longest first.
  std::vector<CopyGroup> copies;                 ///< The longest first.
  std::vector<summaries::FillGroup> fills;       ///< The longest first.
  std::vector<summaries::CallGroup> calls;       ///< The longest first.
  std::vector<summaries::GraphLaunches> graphs;  ///< The longest first.
  std::vector<summaries::MarkedRanges> ranges;   ///< The longest first.
  std::int64_t launches = 0;
  std::int64_t short_launches = 0;   ///< Those of less than 10 us.
  double launches_per_second = 0.0;  ///< After the start-up. 0 if nothing follows it.
  std::vector<Finding> findings;     ///< What to do first comes first.
};

/// The name of a cause in JSON: `host`, `launching`, `waiting`, `copying`, `allocating`, `loading`.
std::string_view to_string(IdleCause cause);

/// Computes all of it, in O(n log n) for n records. Every index of the survey must be within its table.
SurveyAnalysis analyse(const records::Survey& survey, const AnalysisOptions& options = {});

}  // namespace warptune::survey::analysis
