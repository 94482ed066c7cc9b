#include "tuner/text_output/surveys/survey_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::Change;
using survey::analysis::ChangeKind;
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
constexpr std::size_t kNameWidth = 50;
constexpr double kSmallestShare = 0.005;  // It would be shown as 0 %.

std::string time(std::int64_t duration) { return base::format_time_ns(static_cast<double>(duration)); }

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

std::string end_text(const survey::records::Run& run) {
  if (run.signal) return fmt::format("ended by signal {}", *run.signal);
  if (run.exit_code) return fmt::format("exit code {}", *run.exit_code);
  return "it still ran when the survey ended";
}

std::string run_text(const Survey& survey, const SurveyAnalysis& analysis) {
  const survey::records::Run& run = survey.run;
  std::string text =
      fmt::format("{}\n{}, {}", fmt::join(run.command, " "), time(run.duration), end_text(run));
  text +=
      fmt::format("; {}", number(static_cast<std::int64_t>(survey.processes.size()), "process", "processes"));
  text += fmt::format("; {}, {:.0f} per second", number(analysis.launches, "launch", "launches"),
                      analysis.launches_per_second);
  if (analysis.launches > 0)
    text += fmt::format(", {} of them below 10 us",
                        percent(share_of(analysis.short_launches, analysis.launches)));
  text += "\n";
  if (!run.range.empty())
    text += fmt::format("surveyed: {} within the NVTX ranges {}\n", time(analysis.observed), run.range);
  else if (analysis.observed != run.duration)
    text += fmt::format("surveyed: {} of the run\n", time(analysis.observed));
  return text;
}

// Why records are missing.
std::string notes_text(const Survey& survey) {
  std::string text;
  if (!survey.run.problem.empty()) text += fmt::format("note: {}\n", survey.run.problem);
  for (const survey::records::Process& process : survey.processes) {
    const std::string name = fmt::format("note: process {}", process.pid);
    if (!process.problem.empty()) text += fmt::format("{}: {}\n", name, process.problem);
    if (process.dropped > 0)
      text += fmt::format("{}: CUPTI lost {}\n", name, number(process.dropped, "record"));
    if (process.left_out > 0)
      text += fmt::format("{}: {} beyond the limit; launches among them count in the table of kernels only\n",
                          name, number(process.left_out, "record"));
    if (process.end == ProcessEnd::kKilled) text += fmt::format("{}: it was killed\n", name);
  }
  if (survey.devices.empty()) text += "note: no process used a GPU\n";
  return text;
}

std::string device_text(const Survey& survey, const DeviceTime& device) {
  const auto share = [&](std::int64_t part) { return share_of(part, device.window); };
  const std::string& name = survey.devices[device.device].gpu.name;
  std::string text = fmt::format(
      "\nGPU {}{}: busy {} (kernels {}, only copies {}), idle {}\n", device.device,
      name.empty() ? "" : " " + name, percent(share(device.kernels + device.copies_only)),
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
  if (device.streams == 0) return text;
  text += fmt::format("  {}; more than one activity ran for {}, copies beside kernels for {}\n",
                      number(device.streams, "stream"), percent(share(device.overlapped)),
                      percent(share(device.copies_beside_kernels)));
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

std::string findings_text(const SurveyAnalysis& analysis) {
  if (analysis.findings.empty()) return "\nNothing was found that costs at least 5 % of the run.\n";
  std::string text = "\nWhat to do first (bounds are upper limits, and must not be multiplied)\n";
  std::size_t position = 0;
  for (const SurveyFinding& finding : analysis.findings) {
    text += fmt::format("{:>3}. up to {:.2f}x  {} [{}]\n", ++position, finding.bound, finding.title,
                        finding.rule);
    text += fmt::format("       seen: {}\n", fmt::join(finding.evidence, "; "));
    text += fmt::format("       {}\n", finding.advice);
  }
  return text;
}

std::string more_text(std::size_t all, std::string_view one, std::string_view several) {
  if (all <= kRows) return "";
  return base::counted(all - kRows, one, several) + "\n";
}

std::string sizes_text(const std::array<std::uint32_t, 3>& sizes) {
  if (sizes[2] > 1) return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
  return sizes[1] > 1 ? fmt::format("{}x{}", sizes[0], sizes[1]) : fmt::format("{}", sizes[0]);
}

std::string kernels_text(const Survey& survey, const SurveyAnalysis& analysis) {
  if (analysis.kernels.empty()) return "";
  TextTable table(
      {"share", "time", "launches", "median", "longest", "grid", "block", "occupancy", "if free", "kernel"},
      {0, 1, 2, 3, 4, 5, 6, 7, 8});
  for (std::size_t i = 0; i < std::min(kRows, analysis.kernels.size()); ++i) {
    const KernelTime& kernel = analysis.kernels[i];
    const survey::records::KernelShape& shape = survey.shapes[kernel.usual_shape];
    table.add({percent(kernel.share), time(kernel.duration), std::to_string(kernel.launches),
               time(kernel.median), time(kernel.maximum), sizes_text(shape.grid), sizes_text(shape.block),
               kernel.occupancy ? percent(*kernel.occupancy) : "-", fmt::format("{:.2f}x", kernel.bound),
               survey::analysis::short_kernel_name(survey.names[kernel.name], kNameWidth)});
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
    table.add({std::string(survey::analysis::to_string(group.direction)),
               std::string(survey::analysis::to_string(group.source)),
               std::string(survey::analysis::to_string(group.destination)),
               group.asynchronous ? "async" : "sync", std::to_string(group.count),
               format_counter("byte", static_cast<double>(group.bytes)), time(group.duration), rate_of(group),
               group.host_link_share ? percent(*group.host_link_share) : "-"});
  }
  std::string text =
      "\nCopies\n" + table.text() + more_text(analysis.copies.size(), "more kind", "more kinds");
  if (analysis.host_link_bytes_per_s)
    return text + fmt::format("host link: {} in each direction by theory, if all 16 lanes are connected\n",
                              format_counter("byte/s", *analysis.host_link_bytes_per_s));
  return text + "the rate of the host link is unknown\n";
}

std::string name_of(const Change& change) {
  if (change.kind == ChangeKind::kKernel) return survey::analysis::short_kernel_name(change.name, kNameWidth);
  if (change.kind == ChangeKind::kIdle) return "idle: " + change.name;
  return "copies: " + change.name;
}

std::string note_of(const Change& change) {
  if (change.is_new()) return "new";
  if (change.is_gone()) return "gone";
  return change.difference() > 0 ? "slower" : "faster";
}

std::string counts_of(const Change& change) {
  if (change.before_count == 0 && change.after_count == 0) return "";
  return fmt::format("{} -> {}", change.before_count, change.after_count);
}

std::string difference_text(const Change& change) {
  return fmt::format("{}{}", change.difference() < 0 ? "-" : "+",
                     time(change.difference() < 0 ? -change.difference() : change.difference()));
}

}  // namespace

std::string survey_report(const Survey& survey, const SurveyAnalysis& analysis) {
  std::string text = run_text(survey, analysis) + notes_text(survey);
  for (const DeviceTime& device : analysis.devices) text += device_text(survey, device);
  if (!survey.devices.empty()) text += findings_text(analysis);
  return text + kernels_text(survey, analysis) + copies_text(analysis);
}

std::string survey_comparison_report(const survey::analysis::SurveyComparison& comparison) {
  const Change& run = comparison.run;
  std::string text = fmt::format("The run: {} before, {} after ({})\n", time(run.before), time(run.after),
                                 difference_text(run));
  if (comparison.changes.empty()) {
    text += "Nothing on the GPUs changed by more than the noise between runs.\n";
  } else {
    TextTable table({"change", "before", "after", "", "count", "what"}, {0, 1, 2});
    for (const Change& change : comparison.changes) {
      const Style style = change.difference() > 0 ? Style::kCaution : Style::kGood;
      table.add(
          {difference_text(change), change.is_new() ? "-" : time(change.before),
           change.is_gone() ? "-" : time(change.after), note_of(change), counts_of(change), name_of(change)},
          style);
    }
    text += table.text();
  }
  if (comparison.unchanged > 0)
    text += fmt::format("{} changed less than 1 % of the run, or less than 5 % of its own time\n",
                        number(comparison.unchanged, "other part"));
  return text;
}

}  // namespace warptune::tuner::text_output::surveys
