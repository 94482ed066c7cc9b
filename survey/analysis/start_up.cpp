#include "survey/analysis/start_up.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace warptune::survey::analysis {

using records::Activity;
using records::Call;
using records::CallKind;
using records::Interval;
using records::Launch;
using records::Survey;

namespace {

constexpr std::size_t kParts = 8;
constexpr std::size_t kPartsOfALoop = 4;

// A launch as the host gave it to the GPU.
struct GivenLaunch {
  std::int64_t time = 0;  // When the call began, or when the kernel did if the call is unknown.
  records::Index name = 0;
};

std::vector<GivenLaunch> given_launches(const Survey& survey) {
  std::vector<GivenLaunch> given;
  given.reserve(survey.launches.size());
  for (const Launch& launch : survey.launches) {
    const std::int64_t time =
        launch.call == records::kNone ? launch.time.start : survey.calls[launch.call].time.start;
    given.push_back({time, survey.shapes[launch.shape].name});
  }
  std::stable_sort(given.begin(), given.end(),
                   [](const GivenLaunch& a, const GivenLaunch& b) { return a.time < b.time; });
  return given;
}

// Calls `see(call, p)` for each call that loads code, where `p` launches were given before the call.
template <class See>
void for_each_load(const Survey& survey, const std::vector<GivenLaunch>& launches, See see) {
  std::size_t before = 0;
  for (const Call& call : survey.calls) {
    if (call.kind != CallKind::kModuleLoad) continue;
    while (before < launches.size() && launches[before].time < call.time.start) ++before;
    see(call, before);
  }
}

// For each number of launches, the last launch of any kernel that is among these launches.
std::vector<std::size_t> last_repetitions(const Survey& survey, const std::vector<GivenLaunch>& launches) {
  std::vector<std::size_t> last_of_name(survey.names.size(), 0);
  for (std::size_t i = 0; i < launches.size(); ++i) last_of_name[launches[i].name] = i;
  std::vector<std::size_t> last(launches.size() + 1, 0);
  for (std::size_t i = 0; i < launches.size(); ++i)
    last[i + 1] = std::max(last[i], last_of_name[launches[i].name]);
  return last;
}

// Calls `see` for all launches, copies and fills.
template <class See>
void for_each_activity(const Survey& survey, See see) {
  std::for_each(survey.launches.begin(), survey.launches.end(), see);
  std::for_each(survey.copies.begin(), survey.copies.end(), see);
  std::for_each(survey.fills.begin(), survey.fills.end(), see);
}

std::optional<std::int64_t> first_start(const Survey& survey) {
  if (!survey.launches.empty()) return survey.launches.front().time.start;
  std::optional<std::int64_t> first;
  for_each_activity(survey, [&](const Activity& activity) {
    first = std::min(first.value_or(activity.time.start), activity.time.start);
  });
  return first;
}

}  // namespace

CodeLoads code_loads(const Survey& survey) {
  CodeLoads loads;
  const std::vector<GivenLaunch> launches = given_launches(survey);
  const std::vector<std::size_t> last = last_repetitions(survey, launches);
  std::bitset<kParts> parts;
  for_each_load(survey, launches, [&](const Call&, std::size_t before) {
    if (before == 0 || before == launches.size() || last[before] < before) return;
    ++loads.repeated;
    parts.set(before * kParts / launches.size());
  });
  loads.in_loop = parts.count() >= kPartsOfALoop;
  return loads;
}

StartUp start_up_of(const Survey& survey, const IntervalSet& observed, const CodeLoads& loads) {
  StartUp start_up;
  const std::int64_t began = survey.run.window.start;
  for (const records::Process& process : survey.processes)
    start_up.first_call = std::min(start_up.first_call.value_or(process.time.start), process.time.start);
  if (!survey.launches.empty()) start_up.first_launch = survey.launches.front().time.start;
  start_up.end = std::max(began, first_start(survey).value_or(began));
  if (!loads.in_loop) {
    const std::size_t early = (survey.launches.size() + kParts - 1) / kParts;
    for_each_load(survey, given_launches(survey), [&](const Call& call, std::size_t before) {
      if (before >= early || call.time.start - began > 2 * (start_up.end - began)) return;
      start_up.end = std::max(start_up.end, call.time.end);
      start_up.loading += call.time.duration();
      ++start_up.loads;
    });
  }
  if (start_up.end > began) start_up.duration = observed.common(IntervalSet({{began, start_up.end}})).total();
  return start_up;
}

IntervalSet steady_time(const Survey& survey, const IntervalSet& observed, const StartUp& start_up) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for_each_activity(survey, [&](const Activity& activity) { last = std::max(last, activity.time.end); });
  return observed.common(IntervalSet({Interval{start_up.end, last}}));
}

}  // namespace warptune::survey::analysis
