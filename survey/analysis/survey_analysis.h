// What a survey says about a whole program: how busy the GPUs were, why they were idle, and what to do first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// All launches of one kernel, whatever their geometry.
struct KernelTime {
  records::Index name = 0;
  std::int64_t launches = 0;  ///< With those that are not listed one by one.
  std::int64_t duration = 0;  ///< The sum, in nanoseconds.
  std::int64_t minimum = 0;   ///< The shortest launch, in nanoseconds. So are the next two.
  std::int64_t median = 0;
  std::int64_t maximum = 0;
  std::int64_t short_launches = 0;  ///< Those of less than 10 us.
  records::Index usual_shape = 0;   ///< The shape with the largest sum of durations.
  std::optional<double> occupancy;  ///< The theoretical occupancy of the usual shape, 0 to 1. Absent if the
                                    ///< GPU's limits are unknown.
  double share = 0.0;               ///< The part of all kernels' duration, 0 to 1.
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
  std::int64_t duration = 0;  ///< The sum, in nanoseconds.
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
  std::int64_t window = 0;
  std::int64_t kernels = 0;                               ///< At least one kernel ran.
  std::int64_t copies_only = 0;                           ///< Copies or fills ran, and no kernel.
  std::int64_t idle = 0;                                  ///< Nothing ran. The three sum up to `window`.
  std::int64_t overlapped = 0;                            ///< At least two activities ran at once.
  std::array<std::int64_t, kIdleCauses> idle_by_cause{};  ///< They sum up to `idle`.
};

/// One thing that costs time, with what shows it.
struct Finding {
  std::string rule;  ///< Such as `pageable_copies`.
  std::string title;
  std::vector<std::string> evidence;
  std::string advice;
  double bound = 1.0;  ///< By how much the run would be faster at most without it.
};

/// What a survey says.
struct SurveyAnalysis {
  std::vector<DeviceTime> devices;
  std::vector<KernelTime> kernels;  ///< The longest first.
  std::vector<CopyGroup> copies;    ///< The longest first.
  std::int64_t launches = 0;
  std::int64_t short_launches = 0;  ///< Those of less than 10 us.
  double launches_per_second = 0.0;
  std::vector<Finding> findings;  ///< What to do first comes first.
};

/// Computes all of it.
SurveyAnalysis analyse(const records::Survey& survey);

}  // namespace warptune::survey::analysis
