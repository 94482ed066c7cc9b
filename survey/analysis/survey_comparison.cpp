#include "survey/analysis/survey_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/text.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis {

using records::CopyDirection;
using records::MemoryKind;
using records::Survey;

namespace {

using Changes = std::map<std::pair<ChangeKind, std::string>, Change>;

std::string name_of_copies(const CopyGroup& group) {
  const MemoryKind host = host_memory_of(group.direction, group.source, group.destination);
  if (host == MemoryKind::kUnknown) return std::string(to_string(group.direction));
  return fmt::format("{}, {}", to_string(group.direction), to_string(host));
}

void add(Changes& changes, ChangeKind kind, const std::string& name, bool after, std::int64_t duration,
         std::int64_t count) {
  Change& change = changes[{kind, name}];
  change.kind = kind;
  change.name = name;
  (after ? change.after : change.before) += duration;
  (after ? change.after_count : change.before_count) += count;
}

void add_all(Changes& changes, const Survey& survey, const SurveyAnalysis& analysis, bool after) {
  for (const KernelTime& kernel : analysis.kernels)
    add(changes, ChangeKind::kKernel, survey.names[kernel.name], after, kernel.duration, kernel.launches);
  for (const CopyGroup& group : analysis.copies)
    add(changes, ChangeKind::kCopies, name_of_copies(group), after, group.duration, group.count);
  for (const DeviceTime& device : analysis.devices) {
    if (device.unused) continue;
    for (std::size_t i = 0; i < kIdleCauses; ++i) {
      const std::string cause(to_string(static_cast<IdleCause>(i)));
      add(changes, ChangeKind::kIdle, cause, after, device.idle_by_cause[i], 0);
    }
  }
}

bool is_noise(const Change& change, std::int64_t longer_run) {
  const auto difference = static_cast<double>(std::abs(change.difference()));
  return difference < kNoiseOfRun * static_cast<double>(longer_run) ||
         difference < kNoiseOfPart * static_cast<double>(std::max(change.before, change.after));
}

std::string time_text(std::int64_t duration) { return base::format_time_ns(static_cast<double>(duration)); }

bool ends_with_the_run(const records::Run& run) { return run.window.end >= run.duration; }

// The options --after and --duration give the same window to each run that is long enough.
bool has_same_window(const records::Run& before, const records::Run& after) {
  if (std::max<std::int64_t>(0, before.window.start) != std::max<std::int64_t>(0, after.window.start))
    return false;
  if (ends_with_the_run(before) || ends_with_the_run(after))
    return ends_with_the_run(before) == ends_with_the_run(after);
  return before.window.end == after.window.end;
}

std::string gpus_of(const Survey& survey, const SurveyAnalysis& analysis) {
  std::vector<std::string> names;
  for (const DeviceTime& device : analysis.devices) {
    const std::string& name = survey.devices[device.device].gpu.name;
    if (!device.unused) names.push_back(name.empty() ? "an unknown GPU" : name);
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "no GPU" : fmt::format("{}", fmt::join(names, ", "));
}

// Which of the surveys has a process for which something is true: `the earlier survey`, or an empty text.
template <class IsTrue>
std::string surveys_with(const Survey& before, const Survey& after, IsTrue is_true) {
  const bool earlier = std::any_of(before.processes.begin(), before.processes.end(), is_true);
  const bool later = std::any_of(after.processes.begin(), after.processes.end(), is_true);
  if (earlier && later) return "both surveys";
  if (!earlier && !later) return "";
  return earlier ? "the earlier survey" : "the later survey";
}

std::vector<std::string> warnings_of(const Survey& before, const Survey& after) {
  std::vector<std::string> warnings;
  const auto range_of = [](const records::Run& run) {
    return run.range.empty() ? std::string("the whole run") : fmt::format("the NVTX ranges {}", run.range);
  };
  if (before.run.range != after.run.range) {
    warnings.push_back(fmt::format("The earlier survey is about {}, and the later one about {}.",
                                   range_of(before.run), range_of(after.run)));
  } else if (before.run.range.empty() && !has_same_window(before.run, after.run)) {
    warnings.push_back(
        fmt::format("The earlier survey is about {} to {} of its run, and the later one about {} to {}.",
                    time_text(before.run.window.start), time_text(before.run.window.end),
                    time_text(after.run.window.start), time_text(after.run.window.end)));
  }
  const std::string limited =
      surveys_with(before, after, [](const records::Process& process) { return process.left_out > 0; });
  if (!limited.empty())
    warnings.push_back(
        fmt::format("In {}, a process reached its limit of records, so copies and idle time "
                    "after that are missing.",
                    limited));
  const std::string lost = surveys_with(before, after, [](const records::Process& process) {
    return process.dropped > 0 || process.unnamed > 0 || !process.problem.empty();
  });
  if (!lost.empty()) warnings.push_back(fmt::format("In {}, records of a process are missing.", lost));
  return warnings;
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  static constexpr std::string_view kNames[] = {"run", "kernel", "copies", "idle"};
  return kNames[static_cast<std::size_t>(kind)];
}

SurveyComparison compare(const Survey& before, const SurveyAnalysis& before_analysis, const Survey& after,
                         const SurveyAnalysis& after_analysis) {
  SurveyComparison comparison;
  comparison.warnings = warnings_of(before, after);
  const std::string gpus_before = gpus_of(before, before_analysis);
  const std::string gpus_after = gpus_of(after, after_analysis);
  if (gpus_before != gpus_after)
    comparison.warnings.push_back(
        fmt::format("The earlier survey ran on {}, and the later one on {}.", gpus_before, gpus_after));
  comparison.run.before = before.run.duration;
  comparison.run.after = after.run.duration;
  Changes all;
  add_all(all, before, before_analysis, false);
  add_all(all, after, after_analysis, true);
  const std::int64_t longer = std::max(before_analysis.observed, after_analysis.observed);
  for (auto& [key, change] : all) {
    if (change.before == 0 && change.after == 0) continue;
    if (is_noise(change, longer))
      ++comparison.unchanged;
    else
      comparison.changes.push_back(std::move(change));
  }
  std::stable_sort(
      comparison.changes.begin(), comparison.changes.end(),
      [](const Change& a, const Change& b) { return std::abs(a.difference()) > std::abs(b.difference()); });
  return comparison;
}

}  // namespace warptune::survey::analysis
