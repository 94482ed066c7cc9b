// From the raw streams of a program's processes to a survey.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "survey/collecting/raw_process.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// The most bytes of a stream. The 20 million records that a process may have are half of this.
constexpr std::uint64_t kMaxStreamBytes = std::uint64_t{2} << 30U;

/// Where the streams are, and what the parent knows about the run. Times are in nanoseconds of
/// CLOCK_MONOTONIC.
struct RawStreams {
  std::filesystem::path folder;
  std::uint64_t began = 0;          ///< When the survey began. The survey's times count from here.
  std::uint64_t ended = 0;          ///< When it ended.
  std::uint64_t window_start = 0;   ///< Records that end before are left out.
  std::uint64_t window_stop = 0;    ///< Records that start after are left out. 0: no limit.
  std::string range;                ///< As in `SurveyRequest`.
  pid_t program = 0;                ///< The process that was started.
  bool program_was_killed = false;  ///< A signal ended it.
  std::function<bool(std::int64_t)> is_running;  ///< Whether a process still runs, by its pid.
};

/// Joins all streams of the folder. The result has everything but `Survey::run`, of which only `window` and
/// `problem` are set. A file that is not a stream of this user, such as a pipe or a link, is left out. A
/// process whose stream is damaged or cut off has a `problem`.
records::Survey read_raw_streams(const RawStreams& streams);

/// Reads all streams of a folder as they are, without joining them. Files are left out as above. A stream of
/// more than `max_bytes` gives a process with nothing but its header and a `problem`.
std::vector<RawProcess> read_raw_processes(const std::filesystem::path& folder,
                                           std::uint64_t max_bytes = kMaxStreamBytes);

}  // namespace warptune::survey::collecting
