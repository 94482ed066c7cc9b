// Surveys a program and prints what was seen, as lines of `NAME VALUE`: `bench_survey_run [--after S]
// [--duration S] [--range NAME] [--limit N] -- PROGRAM ARGUMENT...`. It is for measuring what a survey costs,
// and whether its times agree with those that the program itself measures (scripts/gpu-survey).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/program.h"
#include "survey/collecting/surveyed_run.h"
#include "survey/records/survey.h"

namespace warptune::bench {

namespace {

using survey::records::Index;
using survey::records::Survey;

void print(std::string_view name, const std::string& value) {
  std::fputs(fmt::format("{:24} {}\n", name, value).c_str(), stderr);
}

double milliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; }

template <class Records>
std::int64_t total(const Records& records) {
  std::int64_t sum = 0;
  for (const auto& record : records) sum += record.time.duration();
  return sum;
}

template <class Records>
std::size_t without_call(const Records& records) {
  return static_cast<std::size_t>(std::count_if(records.begin(), records.end(), [](const auto& record) {
    return record.call == survey::records::kNone;
  }));
}

// Which functions launched, and how often.
std::string launched_by(const Survey& found) {
  std::map<std::string, std::size_t> counts;
  for (const survey::records::Launch& launch : found.launches) {
    if (launch.call != survey::records::kNone) ++counts[found.names[found.calls[launch.call].name]];
  }
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

// How many records begin before their call did. It should be none.
template <class Records>
std::size_t before_call(const Survey& found, const Records& records) {
  return static_cast<std::size_t>(std::count_if(records.begin(), records.end(), [&](const auto& record) {
    return record.call != survey::records::kNone && record.time.start < found.calls[record.call].time.start;
  }));
}

template <class Records>
void print_names(std::string_view title, const Survey& found, const Records& records, const auto& name_of) {
  std::map<Index, std::pair<std::int64_t, std::int64_t>> sums;
  for (const auto& record : records) {
    auto& [count, duration] = sums[name_of(record)];
    ++count;
    duration += record.time.duration();
  }
  std::vector<std::pair<Index, std::pair<std::int64_t, std::int64_t>>> rows(sums.begin(), sums.end());
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
  constexpr std::size_t kMaxRows = 12;
  if (rows.size() > kMaxRows) rows.resize(kMaxRows);
  for (const auto& [name, sum] : rows) {
    print(title,
          fmt::format("{:9} {:12.3f} ms  {:.100}", sum.first, milliseconds(sum.second), found.names[name]));
  }
}

void print_survey(const Survey& found) {
  std::int64_t unlisted = 0;
  for (const auto& launches : found.unlisted) unlisted += launches.count;
  print("wall_ms", fmt::format("{:.3f}", milliseconds(found.run.duration)));
  print("end", found.run.exit_code ? fmt::format("exit {}", *found.run.exit_code)
                                   : fmt::format("signal {}", found.run.signal.value_or(0)));
  if (!found.run.problem.empty()) print("problem", found.run.problem);
  for (const auto& process : found.processes) {
    print("process",
          fmt::format("{} from {:.3f} to {:.3f} ms, driver {}, CUPTI {}, dropped {}, left out {}, end {}: {}",
                      process.pid, milliseconds(process.time.start), milliseconds(process.time.end),
                      process.driver_version, process.cupti_version, process.dropped, process.left_out,
                      static_cast<int>(process.end), process.command));
    if (!process.problem.empty()) print("problem", process.problem);
  }
  for (const auto& device : found.devices) {
    print("device", fmt::format("{} {} SMs {}, L2 {}, clock {} kHz, {} GB/s", device.gpu.name, device.uuid,
                                device.gpu.sm_count, device.gpu.l2_bytes, device.gpu.max_clock_khz,
                                device.gpu.memory_bandwidth_bytes_per_s / 1'000'000'000));
  }
  for (const auto& stream : found.streams) {
    print("stream", fmt::format("context {} stream {}{}", stream.context, stream.number,
                                stream.is_default ? " (default)" : ""));
  }
  print("launches", fmt::format("{} (without call {}, before call {}, unlisted {})", found.launches.size(),
                                without_call(found.launches), before_call(found, found.launches), unlisted));
  print("launched_by", launched_by(found));
  print("copies", fmt::format("{} (without call {}, before call {})", found.copies.size(),
                              without_call(found.copies), before_call(found, found.copies)));
  print("fills", fmt::format("{} (without call {})", found.fills.size(), without_call(found.fills)));
  print("calls", std::to_string(found.calls.size()));
  if (!found.calls.empty() && !found.processes.empty()) {
    // The rest of the driver's initialisation is between the two.
    print("start_to_first_call_ms",
          fmt::format("{:.3f}", milliseconds(found.calls[0].time.start - found.processes[0].time.start)));
  }
  print("ranges", std::to_string(found.ranges.size()));
  print("kernel_ms", fmt::format("{:.6f}", milliseconds(total(found.launches))));
  print("copy_ms", fmt::format("{:.6f}", milliseconds(total(found.copies))));
  print_names("kernel", found, found.launches,
              [&](const auto& launch) { return found.shapes[launch.shape].name; });
  print_names("call", found, found.calls, [](const auto& call) { return call.name; });
  print_names("range", found, found.ranges, [](const auto& range) { return range.name; });
}

int measure(int argument_count, char** arguments) {
  survey::collecting::SurveyRequest request;
  int at = 1;
  for (; at + 1 < argument_count && std::string_view(arguments[at]) != "--"; at += 2) {
    const std::string_view option = arguments[at];
    const std::string value = arguments[at + 1];
    if (option == "--after") request.after = std::stod(value);
    if (option == "--duration") request.duration = std::stod(value);
    if (option == "--range") request.range = value;
    if (option == "--limit") request.record_limit = std::stoll(value);
  }
  request.command.assign(arguments + std::min(at + 1, argument_count), arguments + argument_count);
  print_survey(survey::collecting::run_surveyed(request));
  return 0;
}

}  // namespace

}  // namespace warptune::bench

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program("bench_survey_run", argument_count, arguments,
                                      warptune::bench::measure);
}
