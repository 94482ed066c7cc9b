#include "survey/collecting/raw_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.h"
#include "survey/collecting/process_joiner.h"
#include "survey/collecting/range_limit.h"
#include "survey/collecting/raw_process.h"

namespace warptune::survey::collecting {

namespace fs = std::filesystem;
using records::ProcessEnd;

namespace {

struct StreamFile {
  std::int64_t pid = 0;
  int counter = 0;
  fs::path path;
};

// The pid and the counter of a stream's name, or nothing if it is not one.
std::optional<StreamFile> stream_file(const fs::path& path) {
  if (path.extension() != kRawSuffix) return std::nullopt;
  const std::string name = path.stem().string();
  const std::string_view text = name;
  const std::size_t dash = text.find('-');
  StreamFile file;
  file.path = path;
  const auto parse = [](std::string_view part, auto& number) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    return error == std::errc() && end == part.data() + part.size();
  };
  if (dash == std::string_view::npos || !parse(text.substr(0, dash), file.pid) ||
      !parse(text.substr(dash + 1), file.counter))
    return std::nullopt;
  return file;
}

std::vector<StreamFile> stream_files(const fs::path& folder) {
  std::vector<StreamFile> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (const std::optional<StreamFile> file = stream_file(entry.path())) files.push_back(*file);
  }
  std::sort(files.begin(), files.end(), [](const StreamFile& a, const StreamFile& b) {
    return std::tuple(a.pid, a.counter) < std::tuple(b.pid, b.counter);
  });
  return files;
}

// The header of a stream that is too large to be read. Returns std::nullopt if the file is another one.
std::optional<RawProcess> read_too_large(const fs::path& path, std::uint64_t max_bytes) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || fs::file_size(path, error) <= max_bytes ||
      error)
    return std::nullopt;
  std::string head(sizeof(RawHeader), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  std::optional<RawProcess> process = read_raw_process(head);
  constexpr unsigned kMib = 20;
  if (process)
    process->problem =
        fmt::format("This process wrote more than {} MiB, which is too much to be read.", max_bytes >> kMib);
  return process;
}

// The program could have put anything in the place of a stream, such as a pipe or a link to a device.
std::optional<RawProcess> read_files(const StreamFile& file, std::uint64_t max_bytes) {
  const std::optional<std::string> bytes = base::read_own_file(file.path, max_bytes);
  std::optional<RawProcess> process = bytes ? read_raw_process(*bytes) : read_too_large(file.path, max_bytes);
  if (!process) return std::nullopt;
  fs::path totals = file.path;
  totals.replace_extension(kTotalsSuffix);
  if (const std::optional<std::string> beside = base::read_own_file(totals, kMaxStreamBytes))
    add_raw_totals(*process, *beside);
  return process;
}

struct End {
  ProcessEnd end = ProcessEnd::kExited;
  std::string problem;
};

// How a process ended. `was_replaced`: a later stream has the same pid, because the process called exec.
End end_of(const RawProcess& process, bool was_replaced, const RawStreams& streams) {
  if (process.ended) return {ProcessEnd::kExited, ""};
  if (was_replaced)
    return {ProcessEnd::kExited,
            "It started another program in its place (exec), so its last records are missing."};
  if (process.header.pid == streams.program) {
    if (streams.program_was_killed)
      return {ProcessEnd::kKilled, "A signal ended it, so its last records are missing."};
    return {ProcessEnd::kExited,
            "It ended without its exit handlers (as by _exit), so its last records are missing."};
  }
  if (streams.is_running && streams.is_running(process.header.pid))
    return {ProcessEnd::kStillRunning, "It was still running when the survey ended."};
  return {ProcessEnd::kKilled,
          "A signal or _exit ended it without its exit handlers, so its last records are missing."};
}

// Why records of a process are missing that ended as it should, or an empty text.
std::string problem_of(const RawCounts& counts) {
  if (counts.unwritten > 0) {
    return fmt::format(
        "At least {} records are missing because the folder of temporary files could not take them.",
        counts.unwritten);
  }
  if (counts.unreturned > 0)
    return "CUPTI has kept records, probably because another profiler within the program took it over (as "
           "torch.profiler does).";
  return "";
}

}  // namespace

records::Survey read_raw_streams(const RawStreams& streams) {
  const std::uint64_t last = streams.ended + kClockSlack;
  const std::uint64_t stop = streams.window_stop == 0 ? last : std::min(streams.window_stop, last);
  ProcessJoiner joiner({streams.began, streams.window_start, stop, streams.ended});
  const std::vector<StreamFile> files = stream_files(streams.folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::optional<RawProcess> raw = read_files(files[i], kMaxStreamBytes);
    if (!raw) continue;
    const bool was_replaced = i + 1 < files.size() && files[i + 1].pid == files[i].pid;
    const End end = end_of(*raw, was_replaced, streams);
    records::Process& process = joiner.add(*raw);
    process.end = end.end;
    if (!process.problem.empty()) continue;
    process.problem = problem_of(raw->counts);
    if (process.problem.empty()) process.problem = end.problem;
  }
  records::Survey survey = joiner.finish();
  const auto began = static_cast<std::int64_t>(streams.began);
  survey.run.window = {static_cast<std::int64_t>(streams.window_start) - began,
                       static_cast<std::int64_t>(std::min(stop, streams.ended)) - began};
  survey.run.window.end = std::max(survey.run.window.start, survey.run.window.end);
  if (!streams.range.empty()) limit_to_ranges(survey, streams.range);
  return survey;
}

std::vector<RawProcess> read_raw_processes(const fs::path& folder, std::uint64_t max_bytes) {
  std::vector<RawProcess> processes;
  for (const StreamFile& file : stream_files(folder)) {
    if (std::optional<RawProcess> raw = read_files(file, max_bytes)) processes.push_back(*std::move(raw));
  }
  return processes;
}

}  // namespace warptune::survey::collecting
