#include "survey/analysis/survey_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <utility>

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

}  // namespace

std::string_view to_string(ChangeKind kind) {
  static constexpr std::string_view kNames[] = {"run", "kernel", "copies", "idle"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(CopyDirection direction) {
  static constexpr std::string_view kNames[] = {"unknown",          "host to device", "device to host",
                                                "device to device", "host to host",   "peer to peer"};
  return kNames[static_cast<std::size_t>(direction)];
}

std::string_view to_string(MemoryKind kind) {
  static constexpr std::string_view kNames[] = {"unknown", "pageable", "pinned",        "device",
                                                "array",   "managed",  "device static", "managed static"};
  return kNames[static_cast<std::size_t>(kind)];
}

SurveyComparison compare(const Survey& before, const SurveyAnalysis& before_analysis, const Survey& after,
                         const SurveyAnalysis& after_analysis) {
  SurveyComparison comparison;
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
