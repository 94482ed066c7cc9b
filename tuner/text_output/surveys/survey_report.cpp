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
#include "tuner/text_output/surveys/counters_report.h"
#include "tuner/text_output/surveys/host_tables.h"
#include "tuner/text_output/surveys/kernels_table.h"
#include "tuner/text_output/surveys/report_words.h"
#include "tuner/text_output/surveys/work_tables.h"

namespace warptune::tuner::text_output::surveys {

namespace {

using survey::analysis::DeviceTime;
using SurveyFinding = survey::analysis::Finding;
using survey::analysis::IdleCause;
using survey::analysis::kIdleCauses;
using survey::analysis::SurveyAnalysis;
using survey::records::ProcessEnd;
using survey::records::Survey;

constexpr double kSmallestShare = 0.005;  // It would be shown as 0 %.

// Names and sentences of a file may have line breaks.
std::string line(std::string_view text) { return base::printable_line(text); }

std::string number(std::int64_t count, std::string_view one, std::string_view several = {}) {
  return base::counted(static_cast<std::uint64_t>(count), one, several);
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
                                 survey_time_text(run.duration), end_text(run));
  text +=
      fmt::format("; {}", number(static_cast<std::int64_t>(survey.processes.size()), "process", "processes"));
  text += fmt::format("; {}", number(analysis.launches, "launch", "launches"));
  if (analysis.launches_per_second > 0.0)
    text += fmt::format(", {:.0f} per second after the start-up", analysis.launches_per_second);
  if (analysis.launches > 0)
    text += fmt::format(", {} of them below 10 us",
                        survey_percent(share_of(analysis.short_launches, analysis.launches)));
  text += "\n";
  if (!run.range.empty())
    text += fmt::format("surveyed: {} within the NVTX ranges {}\n", survey_time_text(analysis.observed),
                        line(run.range));
  else if (analysis.observed != run.duration)
    text += fmt::format("surveyed: {} of the run\n", survey_time_text(analysis.observed));
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
  std::string text =
      fmt::format("start-up: {} ({} of the observed time); --after {} leaves it out\n",
                  survey_time_text(start_up.duration),
                  survey_percent(share_of(start_up.duration, analysis.observed)), after_start_up(analysis));
  std::vector<std::string> steps;
  if (start_up.first_call)
    steps.push_back(fmt::format("first call of CUDA at {}", survey_time_text(*start_up.first_call)));
  if (start_up.first_launch)
    steps.push_back(fmt::format("first launch at {}", survey_time_text(*start_up.first_launch)));
  if (start_up.first_launch && start_up.end > *start_up.first_launch)
    steps.push_back(fmt::format("{} that loaded code, until {}", number(start_up.loads, "call"),
                                survey_time_text(start_up.end)));
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
  if (survey.devices.empty() && survey.run.problem.empty()) text += "note: no process used a GPU\n";
  return text;
}

// How busy a GPU was in a part of the run, and why it was idle.
std::string busy_text(const DeviceTime& device) {
  const auto share = [&](std::int64_t part) { return share_of(part, device.window); };
  std::string text = fmt::format(
      "busy {} (kernels {}, only copies {}), idle {}\n",
      survey_percent(share(device.kernels + device.copies_only)), survey_percent(share(device.kernels)),
      survey_percent(share(device.copies_only)), survey_percent(share(device.idle)));
  std::vector<std::pair<std::int64_t, IdleCause>> causes;
  for (std::size_t i = 0; i < kIdleCauses; ++i)
    causes.emplace_back(device.idle_by_cause[i], static_cast<IdleCause>(i));
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> reasons;
  for (const auto& [duration, cause] : causes) {
    if (share(duration) >= kSmallestShare)
      reasons.push_back(fmt::format("{} {}", idle_cause_text(cause), survey_percent(share(duration))));
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
                        survey_percent(share(device.overlapped)),
                        survey_percent(share(device.copies_beside_kernels)));
  else
    text += "; only one activity ran at a time\n";
  std::vector<std::string> possible;
  if (share(device.copies_could_overlap) >= kSmallestShare)
    possible.push_back(
        fmt::format("{} of copies beside kernels", survey_percent(share(device.copies_could_overlap))));
  if (share(device.streams_could_overlap) >= kSmallestShare)
    possible.push_back(
        fmt::format("{} of streams that run in turns", survey_percent(share(device.streams_could_overlap))));
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
    text +=
        fmt::format("  after the start-up, from {} to {}: {}", survey_time_text(analysis.steady.start),
                    survey_time_text(analysis.steady.end), busy_text(analysis.steady_devices[device.device]));
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

}  // namespace

std::string survey_report(const Survey& survey, const SurveyAnalysis& analysis) {
  std::string text = run_text(survey, analysis) + start_up_text(analysis) + notes_text(survey, analysis);
  for (const DeviceTime& device : analysis.devices) text += device_text(survey, analysis, device);
  if (!survey.devices.empty()) text += findings_text(analysis);
  text += kernels_table(survey, analysis) + counters_report(survey, analysis);
  text += copies_table(analysis) + fills_table(analysis) + graphs_table(survey, analysis);
  return text + calls_table(survey, analysis) + ranges_table(survey, analysis);
}

}  // namespace warptune::tuner::text_output::surveys
