#include "tuner/text_output/surveys/survey_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/surveys/counters_report.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::CopyGroup;
using survey::analysis::DeviceTime;
using SurveyFinding = survey::analysis::Finding;
using survey::analysis::IdleCause;
using survey::analysis::KernelTime;
using survey::analysis::kIdleCauses;
using survey::analysis::SurveyAnalysis;
using survey::records::ProcessEnd;
using survey::records::Survey;

constexpr std::size_t kRows = 10;
constexpr std::size_t kNameWidth = 41;  // The table of kernels fits into 100 columns.
constexpr std::size_t kBoundWidth = 9;
constexpr double kSmallestShare = 0.005;  // It would be shown as 0 %.

std::string time(std::int64_t duration) { return base::format_time_ns(static_cast<double>(duration)); }

// Names and sentences of a file may have line breaks.
std::string line(std::string_view text) { return base::printable_line(text); }

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string number(std::int64_t count, std::string_view one, std::string_view several = {}) {
  return base::counted(static_cast<std::uint64_t>(count), one, several);
}

std::string_view cause_text(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHost:
      return "the host worked on something else";
    case IdleCause::kLaunching:
      return "launching";
    case IdleCause::kWaiting:
      return "the host waited for the GPU";
    case IdleCause::kCopying:
      return "within calls that copy";
    case IdleCause::kAllocating:
      return "allocating or freeing memory";
    case IdleCause::kLoading:
      return "loading device code";
  }
  return "";
}

// Whether the start-up takes so much of the observed time that what follows it is shown beside the whole.
bool has_start_up(const SurveyAnalysis& analysis) {
  constexpr double kWorthALine = 0.05;
  return share_of(analysis.start_up.duration, analysis.observed) >= kWorthALine;
}

std::string end_text(const survey::records::Run& run) {
  if (run.signal) return fmt::format("ended by signal {}", *run.signal);
  if (run.exit_code) return fmt::format("exit code {}", *run.exit_code);
  return "it still ran when the survey ended";
}

std::string run_text(const Survey& survey, const SurveyAnalysis& analysis) {
  const survey::records::Run& run = survey.run;
  std::string text = fmt::format("{}\n{}, {}", line(fmt::format("{}", fmt::join(run.command, " "))),
                                 time(run.duration), end_text(run));
  text +=
      fmt::format("; {}", number(static_cast<std::int64_t>(survey.processes.size()), "process", "processes"));
  text += fmt::format("; {}", number(analysis.launches, "launch", "launches"));
  if (analysis.launches_per_second > 0.0)
    text += fmt::format(", {:.0f} per second after the start-up", analysis.launches_per_second);
  if (analysis.launches > 0)
    text += fmt::format(", {} of them below 10 us",
                        percent(share_of(analysis.short_launches, analysis.launches)));
  text += "\n";
  if (!run.range.empty())
    text += fmt::format("surveyed: {} within the NVTX ranges {}\n", time(analysis.observed), line(run.range));
  else if (analysis.observed != run.duration)
    text += fmt::format("surveyed: {} of the run\n", time(analysis.observed));
  return text;
}

// The end of the start-up in seconds, rounded up by at most a tenth of what follows.
std::string after_start_up(const SurveyAnalysis& analysis) {
  const double end = 1e-9 * static_cast<double>(analysis.start_up.end);
  const double most = 0.9 * end + 0.1 * 1e-9 * static_cast<double>(analysis.steady.end);
  for (int digits = 1;; ++digits) {
    const double after = std::ceil(end * std::pow(10.0, digits)) / std::pow(10.0, digits);
    if (digits == 4 || after <= most) return fmt::format("{:.{}f}", after, digits);
  }
}

// The time before the program repeats its work, if it is worth a line.
std::string start_up_text(const SurveyAnalysis& analysis) {
  const survey::analysis::StartUp& start_up = analysis.start_up;
  if (!has_start_up(analysis)) return "";
  std::string text = fmt::format(
      "start-up: {} ({} of the observed time); --after {} leaves it out\n", time(start_up.duration),
      percent(share_of(start_up.duration, analysis.observed)), after_start_up(analysis));
  std::vector<std::string> steps;
  if (start_up.first_call)
    steps.push_back(fmt::format("first call of CUDA at {}", time(*start_up.first_call)));
  if (start_up.first_launch) steps.push_back(fmt::format("first launch at {}", time(*start_up.first_launch)));
  if (start_up.first_launch && start_up.end > *start_up.first_launch)
    steps.push_back(
        fmt::format("{} that loaded code, until {}", number(start_up.loads, "call"), time(start_up.end)));
  return steps.empty() ? text : text + fmt::format("  {}\n", fmt::join(steps, "; "));
}

// Why records are missing.
std::string notes_text(const Survey& survey, const SurveyAnalysis& analysis) {
  std::string text;
  if (!survey.run.problem.empty()) text += fmt::format("note: {}\n", line(survey.run.problem));
  for (const survey::records::Process& process : survey.processes) {
    const std::string name = fmt::format("note: process {}", process.pid);
    if (!process.problem.empty()) text += fmt::format("{}: {}\n", name, line(process.problem));
    if (process.dropped > 0)
      text += fmt::format("{}: CUPTI lost {}\n", name, number(process.dropped, "record"));
    if (process.left_out > 0)
      text += fmt::format("{}: {} beyond the limit; launches among them count in the table of kernels only\n",
                          name, number(process.left_out, "record"));
    if (process.unnamed > 0)
      text += fmt::format("{}: {} missing, because the tables of names and shapes of kernels were full\n",
                          name, number(process.unnamed, "record is", "records are"));
    if (process.end == ProcessEnd::kKilled) text += fmt::format("{}: it was killed\n", name);
  }
  if (analysis.idle_is_uncertain)
    text += "note: idle time may be work whose records are missing, so no finding is about idle time\n";
  if (survey.devices.empty()) text += "note: no process used a GPU\n";
  return text;
}

// How busy a GPU was in a part of the run, and why it was idle.
std::string busy_text(const DeviceTime& device) {
  const auto share = [&](std::int64_t part) { return share_of(part, device.window); };
  std::string text = fmt::format(
      "busy {} (kernels {}, only copies {}), idle {}\n", percent(share(device.kernels + device.copies_only)),
      percent(share(device.kernels)), percent(share(device.copies_only)), percent(share(device.idle)));
  std::vector<std::pair<std::int64_t, IdleCause>> causes;
  for (std::size_t i = 0; i < kIdleCauses; ++i)
    causes.emplace_back(device.idle_by_cause[i], static_cast<IdleCause>(i));
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> reasons;
  for (const auto& [duration, cause] : causes) {
    if (share(duration) >= kSmallestShare)
      reasons.push_back(fmt::format("{} {}", cause_text(cause), percent(share(duration))));
  }
  if (!reasons.empty()) text += fmt::format("  why idle: {}\n", fmt::join(reasons, "; "));
  return text;
}

std::string overlap_text(const DeviceTime& device) {
  const auto share = [&](std::int64_t part) { return share_of(part, device.window); };
  if (device.streams == 0) return "";
  std::string text = "  " + number(device.streams, "stream");
  if (share(device.overlapped) >= kSmallestShare)
    text += fmt::format("; more than one activity ran for {}, copies beside kernels for {}\n",
                        percent(share(device.overlapped)), percent(share(device.copies_beside_kernels)));
  else
    text += "; only one activity ran at a time\n";
  std::vector<std::string> possible;
  if (share(device.copies_could_overlap) >= kSmallestShare)
    possible.push_back(
        fmt::format("{} of copies beside kernels", percent(share(device.copies_could_overlap))));
  if (share(device.streams_could_overlap) >= kSmallestShare)
    possible.push_back(
        fmt::format("{} of streams that run in turns", percent(share(device.streams_could_overlap))));
  if (!possible.empty()) text += fmt::format("  could overlap at most: {}\n", fmt::join(possible, "; "));
  return text;
}

std::string device_text(const Survey& survey, const SurveyAnalysis& analysis, const DeviceTime& device) {
  const std::string& name = survey.devices[device.device].gpu.name;
  const std::string title = fmt::format("\nGPU {}{}: ", device.device, name.empty() ? "" : " " + line(name));
  if (device.window == 0) return title + "how busy it was is unknown, because its work is not listed\n";
  if (device.unused) return title + "no work was seen on it\n";
  std::string text = title + busy_text(device);
  if (has_start_up(analysis) && device.device < analysis.steady_devices.size())
    text += fmt::format("  after the start-up, from {} to {}: {}", time(analysis.steady.start),
                        time(analysis.steady.end), busy_text(analysis.steady_devices[device.device]));
  return text + overlap_text(device);
}

std::string bound_text(const SurveyAnalysis& analysis, const SurveyFinding& finding) {
  if (!has_start_up(analysis) || !finding.steady_bound) return fmt::format("{:.2f}x", finding.bound);
  return fmt::format("{:.2f}x ({:.2f}x after the start-up)", finding.bound, *finding.steady_bound);
}

std::string findings_text(const SurveyAnalysis& analysis) {
  if (analysis.observed == 0) return "\nNo part of the run was observed, so there are no findings.\n";
  if (analysis.findings.empty()) return "\nNothing was found that costs at least 5 % of the run.\n";
  std::string text =
      "\nWhat to do first (bounds are upper limits for the observed time, and must not be multiplied)\n";
  std::size_t position = 0;
  for (const SurveyFinding& finding : analysis.findings) {
    text += fmt::format("{:>3}. up to {}  {} [{}]\n", ++position, bound_text(analysis, finding),
                        line(finding.title), finding.rule);
    text += fmt::format("       seen: {}\n", line(fmt::format("{}", fmt::join(finding.evidence, "; "))));
    text += fmt::format("       {}\n", finding.advice);
  }
  return text;
}

std::string more_text(std::size_t all, std::string_view one, std::string_view several) {
  if (all <= kRows) return "";
  return base::counted(all - kRows, one, several) + "\n";
}

std::string kernels_text(const Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.kernels.empty()) return "";
  // Below 1.01, no kernel is worth a look for its own sake.
  const bool has_bounds = std::any_of(analysis.kernels.begin(), analysis.kernels.end(),
                                      [](const KernelTime& kernel) { return kernel.bound >= 1.01; });
  std::vector<std::string> head = {"share", "time", "launches", "median", "grid", "block", "occupancy"};
  std::vector<std::size_t> right = {0, 1, 2, 3, 4, 5, 6};
  if (has_bounds) {
    right.push_back(head.size());
    head.emplace_back("if free");
  }
  head.emplace_back("kernel");
  TextTable table(head, right);
  for (std::size_t i = 0; i < std::min(kRows, analysis.kernels.size()); ++i) {
    const KernelTime& kernel = analysis.kernels[i];
    const survey::records::KernelShape& shape = survey.shapes[kernel.usual_shape];
    std::vector<std::string> row = {percent(kernel.share),
                                    time(kernel.duration),
                                    std::to_string(kernel.launches),
                                    time(kernel.median),
                                    sizes_text(shape.grid),
                                    sizes_text(shape.block),
                                    kernel.occupancy ? percent(*kernel.occupancy) : "-"};
    if (has_bounds) row.push_back(fmt::format("{:.2f}x", kernel.bound));
    row.push_back(survey::analysis::short_kernel_name(survey.names[kernel.name],
                                                      has_bounds ? kNameWidth - kBoundWidth : kNameWidth));
    table.add(row);
  }
  return "\nKernels\n" + table.text() + more_text(analysis.kernels.size(), "more kernel", "more kernels");
}

std::string rate_of(const CopyGroup& group) {
  return group.bytes_per_s ? format_counter("byte/s", *group.bytes_per_s) : "-";
}

std::string copies_text(const SurveyAnalysis& analysis) {
  if (analysis.copies.empty()) return "";
  TextTable table({"copies", "from", "to", "call", "count", "bytes", "time", "rate", "of the link"},
                  {4, 5, 6, 7, 8});
  for (std::size_t i = 0; i < std::min(kRows, analysis.copies.size()); ++i) {
    const CopyGroup& group = analysis.copies[i];
    table.add({std::string(survey::records::to_string(group.direction)),
               std::string(survey::records::to_string(group.source)),
               std::string(survey::records::to_string(group.destination)),
               group.asynchronous ? "async" : "sync", std::to_string(group.count),
               format_counter("byte", static_cast<double>(group.bytes)), time(group.duration), rate_of(group),
               group.host_link_share ? percent(*group.host_link_share) : "-"});
  }
  std::string text =
      "\nCopies\n" + table.text() + more_text(analysis.copies.size(), "more kind", "more kinds");
  if (analysis.host_link_bytes_per_s)
    return text + fmt::format("host link: {} in each direction {}\n",
                              format_counter("byte/s", *analysis.host_link_bytes_per_s),
                              analysis.host_link_is_measured ? "as measured by devices --measure-roofs"
                                                             : "by theory, if all 16 lanes are connected");
  return text + "the rate of the host link is unknown\n";
}

}  // namespace

std::string survey_report(const Survey& survey, const SurveyAnalysis& analysis) {
  std::string text = run_text(survey, analysis) + start_up_text(analysis) + notes_text(survey, analysis);
  for (const DeviceTime& device : analysis.devices) text += device_text(survey, analysis, device);
  if (!survey.devices.empty()) text += findings_text(analysis);
  text += kernels_text(survey, analysis) + counters_report(survey, analysis);
  return text + copies_text(analysis);
}

}  // namespace warptune::tuner::text_output::surveys
