#include "survey/collecting/process_joiner.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "survey/collecting/raw_devices.h"
#include "survey/collecting/raw_kinds.h"

namespace warptune::survey::collecting {

using records::Index;
using records::Interval;
using records::kNone;

namespace {

// The kernel's name as a person wrote it. A name that is not mangled stays as it is.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

template <class Record>
void sort_by_start(std::vector<Record>& records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.time.start < b.time.start; });
}

Index size_of(const auto& table) { return static_cast<Index>(table.size()); }

std::uint64_t last_time(const RawProcess& process) {
  std::uint64_t last = std::max(process.header.start, process.counts.time);
  for (const RawLaunch& launch : process.launches) last = std::max(last, launch.activity.end);
  for (const RawCopy& copy : process.copies) last = std::max(last, copy.activity.end);
  for (const RawFill& fill : process.fills) last = std::max(last, fill.activity.end);
  for (const RawCall& call : process.calls) last = std::max(last, call.end);
  for (const RawMarker& marker : process.markers) last = std::max(last, marker.time);
  return last;
}

// A stream may say anything.
std::int64_t to_count(std::uint64_t number) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(number, kMax));
}

std::string command_line(const std::string& arguments) {
  std::string line = arguments;
  while (line.ends_with('\0')) line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

}  // namespace

Index ProcessJoiner::name(const std::string& text) {
  const auto [place, is_new] = names_.try_emplace(text, size_of(survey_.names));
  if (is_new) survey_.names.push_back(text);
  return place->second;
}

void ProcessJoiner::add_shapes(const RawProcess& process, Numbers& numbers) {
  std::vector<Index> kernel_names(process.names.size(), kNone);
  for (const RawShape& raw : process.shapes) {
    Index& kernel = kernel_names[raw.name];
    if (kernel == kNone) kernel = name(demangled(process.names[raw.name]));
    ShapeKey key{kernel};
    const records::KernelShape shape{kernel,          raw.grid,          raw.block,
                                     raw.registers,   raw.static_shared, raw.dynamic_shared,
                                     raw.local_bytes, raw.cluster};
    const std::array<std::span<const std::uint32_t>, 3> parts{shape.grid, shape.block, shape.cluster};
    std::size_t at = 1;
    for (const std::span<const std::uint32_t> part : parts) {
      for (const std::uint32_t value : part) key[at++] = value;
    }
    for (const std::uint32_t value :
         {shape.registers, shape.static_shared, shape.dynamic_shared, shape.local_bytes})
      key[at++] = value;
    const auto [place, is_new] = shapes_.try_emplace(key, size_of(survey_.shapes));
    if (is_new) survey_.shapes.push_back(shape);
    numbers.shapes.push_back(place->second);
  }
}

void ProcessJoiner::add_devices(const RawProcess& process, Numbers& numbers) {
  for (const RawDevice& raw : process.devices) {
    const records::Device device = device_of(raw, process.names[raw.name]);
    const auto same = [&](const records::Device& other) { return !device.uuid.empty() && other == device; };
    const auto known = std::find_if(survey_.devices.begin(), survey_.devices.end(), same);
    const auto place = static_cast<Index>(known - survey_.devices.begin());
    if (known == survey_.devices.end()) survey_.devices.push_back(device);
    numbers.devices.emplace(raw.number, place);
  }
  for (const RawContext& raw : process.contexts)
    numbers.default_streams.emplace(raw.context, raw.default_stream);
}

Index ProcessJoiner::device(std::uint32_t number, Numbers& numbers) {
  const auto [place, is_new] = numbers.devices.try_emplace(number, size_of(survey_.devices));
  if (is_new) {
    records::Device unknown;
    unknown.gpu.name = fmt::format("GPU {}", number);
    survey_.devices.push_back(unknown);
  }
  return place->second;
}

Index ProcessJoiner::stream(const RawActivity& activity, Numbers& numbers) {
  const std::array key{activity.device, activity.context, activity.stream};
  const auto [place, is_new] = numbers.streams.try_emplace(key, size_of(survey_.streams));
  if (is_new) {
    const auto context = numbers.default_streams.find(activity.context);
    const bool is_default = context != numbers.default_streams.end() && context->second == activity.stream;
    survey_.streams.push_back(
        {numbers.process, device(activity.device, numbers), activity.context, activity.stream, is_default});
  }
  return place->second;
}

std::int64_t ProcessJoiner::within_run(std::uint64_t time) const {
  return static_cast<std::int64_t>(std::clamp(time, kept_.began, std::max(kept_.began, kept_.latest)));
}

std::optional<Interval> ProcessJoiner::interval(std::uint64_t start, std::uint64_t end) const {
  if (end < kept_.start || start >= kept_.stop) return std::nullopt;
  if (start + kClockSlack < kept_.began || end > kept_.latest + kClockSlack) return std::nullopt;
  const auto began = static_cast<std::int64_t>(kept_.began);
  return Interval{static_cast<std::int64_t>(start) - began, static_cast<std::int64_t>(end) - began};
}

void ProcessJoiner::add_calls(const OuterCalls& calls, const RawProcess& process, const Numbers& numbers) {
  std::vector<Index> call_names(process.names.size(), kNone);
  for (const RawCall& raw : calls.calls()) {
    Index& text = call_names[raw.name];
    if (text == kNone) text = name(process.names[raw.name]);
    const auto began = static_cast<std::int64_t>(kept_.began);
    const Interval time{static_cast<std::int64_t>(raw.start) - began,
                        static_cast<std::int64_t>(raw.end) - began};
    survey_.calls.push_back({time, numbers.process, raw.thread, text, kind_of(raw.purpose)});
  }
}

std::optional<records::Activity> ProcessJoiner::activity(const RawActivity& raw, const OuterCalls& calls,
                                                         Numbers& numbers, std::uint32_t other_correlation) {
  const std::optional<Interval> time = interval(raw.start, raw.end);
  if (!time) return std::nullopt;
  std::int64_t call = calls.find(raw.correlation);
  if (call < 0) call = calls.find(other_correlation);
  const Index index = call < 0 ? kNone : numbers.first_call + static_cast<Index>(call);
  return records::Activity{*time, stream(raw, numbers), index, raw.graph};
}

void ProcessJoiner::add_activities(const RawProcess& process, const OuterCalls& calls, Numbers& numbers) {
  for (const RawLaunch& raw : process.launches) {
    if (const auto common = activity(raw.activity, calls, numbers, 0))
      survey_.launches.push_back({*common, numbers.shapes[raw.activity.detail]});
  }
  for (const RawCopy& raw : process.copies) {
    if (const auto common = activity(raw.activity, calls, numbers, raw.activity.detail)) {
      survey_.copies.push_back({*common, raw.bytes, direction_of(raw.kind), memory_kind_of(raw.source),
                                memory_kind_of(raw.destination), raw.asynchronous != 0});
    }
  }
  for (const RawFill& raw : process.fills) {
    if (const auto common = activity(raw.activity, calls, numbers, 0))
      survey_.fills.push_back({*common, raw.bytes, memory_kind_of(raw.activity.detail)});
  }
  for (const RawTotal& raw : process.totals) {
    survey_.unlisted.push_back({numbers.process, numbers.shapes[raw.shape],
                                static_cast<std::int64_t>(raw.count),
                                static_cast<std::int64_t>(raw.duration)});
  }
}

void ProcessJoiner::add_ranges(const RawProcess& process, std::int64_t end, const Numbers& numbers) {
  // A thread may end what another one began, and CUPTI returns the markers of each thread by themselves.
  std::vector<RawMarker> markers = process.markers;
  std::stable_sort(markers.begin(), markers.end(), [](const RawMarker& a, const RawMarker& b) {
    return std::tuple(a.time, a.is_end) < std::tuple(b.time, b.is_end);
  });
  std::map<std::uint32_t, const RawMarker*> open;
  // No work is kept that starts after the stop. So a range that lasts longer would seem to be idle.
  const auto close = [&](const RawMarker& start, std::uint64_t stop) {
    const auto time = interval(start.time, std::max(start.time, std::min(stop, kept_.stop)));
    if (time)
      survey_.ranges.push_back({*time, numbers.process, start.thread, name(process.names[start.name])});
  };
  for (const RawMarker& marker : markers) {
    if (marker.is_end == 0) {
      open[marker.range] = &marker;
    } else if (const auto start = open.find(marker.range); start != open.end()) {
      close(*start->second, marker.time);
      open.erase(start);
    }
  }
  // A range without an end lasted until the process or the recording ended, unless its end is beyond the
  // limit of records.
  if (process.counts.left_out > 0) return;
  for (const auto& [range, start] : open) close(*start, static_cast<std::uint64_t>(end));
}

records::Process& ProcessJoiner::add(const RawProcess& process) {
  Numbers numbers;
  numbers.process = size_of(survey_.processes);
  numbers.first_call = size_of(survey_.calls);
  const auto began = static_cast<std::int64_t>(kept_.began);
  const std::int64_t start = within_run(process.header.start);
  const std::int64_t end = std::max(start, within_run(last_time(process)));
  add_shapes(process, numbers);
  add_devices(process, numbers);
  const OuterCalls calls(process.calls);
  add_calls(calls, process, numbers);
  add_activities(process, calls, numbers);
  add_ranges(process, end, numbers);
  records::Process added;
  added.pid = process.header.pid;
  added.command = command_line(process.command);
  added.time = {start - began, end - began};
  added.driver_version = process.header.driver_version;
  added.cupti_version = process.header.cupti_version;
  added.dropped = to_count(process.counts.dropped);
  added.left_out = to_count(process.counts.left_out);
  added.unnamed = to_count(process.counts.unnamed);
  added.problem = process.problem;
  survey_.processes.push_back(std::move(added));
  return survey_.processes.back();
}

void ProcessJoiner::sort_calls() {
  std::vector<records::Call>& calls = survey_.calls;
  std::vector<Index> order(calls.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return calls[a].time.start < calls[b].time.start; });
  std::vector<Index> place_of(calls.size(), kNone);
  std::vector<records::Call> sorted;
  sorted.reserve(calls.size());
  const auto began = static_cast<std::int64_t>(kept_.began);
  for (const Index at : order) {
    const records::Call& call = calls[at];
    if (!interval(static_cast<std::uint64_t>(call.time.start + began),
                  static_cast<std::uint64_t>(call.time.end + began)))
      continue;
    place_of[at] = size_of(sorted);
    sorted.push_back(call);
  }
  const auto renumber = [&](records::Activity& activity) {
    if (activity.call != kNone) activity.call = place_of[activity.call];
  };
  std::for_each(survey_.launches.begin(), survey_.launches.end(), renumber);
  std::for_each(survey_.copies.begin(), survey_.copies.end(), renumber);
  std::for_each(survey_.fills.begin(), survey_.fills.end(), renumber);
  calls = std::move(sorted);
}

records::Survey ProcessJoiner::finish() {
  sort_calls();
  sort_by_start(survey_.launches);
  sort_by_start(survey_.copies);
  sort_by_start(survey_.fills);
  sort_by_start(survey_.ranges);
  return std::move(survey_);
}

}  // namespace warptune::survey::collecting
