#include "tuner/text_output/surveys/bench_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/text.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/short_kernel_name.h"
#include "tuner/text_output/diagnosis_report.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/surveys/counters_report.h"

namespace warptune::tuner::text_output::surveys {

using profiling::captures::BufferDifference;
using profiling::captures::CapturedBuffer;
using profiling::captures::CapturedLaunch;
using profiling::captures::PointerPlace;
using profiling::captures::Replay;

namespace {

std::string bytes_text(std::uint64_t bytes) { return format_counter("byte", static_cast<double>(bytes)); }

// The number of the parameter in which a word of the block is, from 1.
std::size_t parameter_at(const CapturedLaunch& launch, std::uint32_t offset) {
  const auto found =
      std::find_if(launch.parameters.begin(), launch.parameters.end(), [&](const auto& parameter) {
        return offset >= parameter.offset && offset < parameter.offset + parameter.bytes;
      });
  return static_cast<std::size_t>(found - launch.parameters.begin()) + 1;
}

std::string buffer_name(const CapturedLaunch& launch, std::size_t number) {
  const CapturedBuffer& buffer = launch.buffers[number];
  if (!buffer.variable.empty()) return fmt::format("the variable {}", base::printable_line(buffer.variable));
  std::vector<std::size_t> parameters;
  for (const PointerPlace& place : launch.pointers()) {
    if (place.buffer != number) continue;
    const std::size_t parameter = parameter_at(launch, place.offset);
    if (parameters.empty() || parameters.back() != parameter) parameters.push_back(parameter);
  }
  if (parameters.empty()) return fmt::format("buffer {}", number + 1);
  return fmt::format("the buffer of {} {}", parameters.size() == 1 ? "parameter" : "parameters",
                     fmt::join(parameters, ", "));
}

std::string capture_text(const CapturedLaunch& launch) {
  constexpr std::size_t kShort = 100;
  std::string text = fmt::format(
      "{}\n  launch {} of this kernel in {}\n  grid {}, block {}, {} of dynamic shared memory{}{}\n",
      base::printable_line(survey::analysis::short_kernel_name(launch.name, kShort)), launch.launch,
      base::printable_line(fmt::format("{}", fmt::join(launch.command, " "))), sizes_text(launch.grid),
      sizes_text(launch.block), bytes_text(launch.dynamic_shared_bytes),
      launch.cluster[0] > 0 ? ", clusters of " + sizes_text(launch.cluster) : "",
      launch.cooperative ? ", cooperative" : "");
  text += fmt::format("  captured on {} (compute capability {}.{})\n",
                      launch.gpu_name.empty() ? "an unknown GPU" : base::printable_line(launch.gpu_name),
                      launch.compute_major, launch.compute_minor);
  text += fmt::format("  {} of parameters, {} with {}\n", bytes_text(launch.parameter_bytes.size()),
                      base::counted(launch.buffers.size(), "buffer"), bytes_text(launch.contents_bytes()));
  for (std::size_t i = 0; i < launch.buffers.size(); ++i)
    text +=
        fmt::format("    {}: {}, {}\n", buffer_name(launch, i), bytes_text(launch.buffers[i].before.size()),
                    launch.buffers[i].after ? "changed by the launch" : "unchanged");
  for (const std::string& note : launch.notes)
    text += fmt::format("  note: {}\n", base::printable_line(note));
  return text;
}

std::string ratio_text(const std::optional<model::TimeSummary>& time,
                       const std::optional<double>& application_ns) {
  return time && application_ns > 0.0
             ? fmt::format(", {:.3f} of that in the application", time->median_ns / *application_ns)
             : "";
}

std::string times_text(const CapturedLaunch& launch, const Replay& replay) {
  std::string text = "\nTime of the launch alone\n";
  text += fmt::format("  from a cold L2 cache: {}{}\n", time_with_interval(replay.measurement.time),
                      ratio_text(replay.measurement.time, launch.application_ns));
  text += fmt::format("  after the same launch: {}{}\n", time_with_interval(replay.warm),
                      ratio_text(replay.warm, launch.application_ns));
  if (!replay.in_a_row_samples_ns.empty())
    text += fmt::format("  in a row: {}{}\n", time_with_interval(replay.in_a_row),
                        ratio_text(replay.in_a_row, launch.application_ns));
  if (launch.application_ns)
    text += fmt::format(
        "  in the application: {} (median of {})\n", base::format_time_ns(*launch.application_ns),
        base::counted(static_cast<std::size_t>(launch.application_launches), "launch", "launches"));
  return text;
}

std::string difference_text(const CapturedLaunch& launch, const BufferDifference& difference) {
  std::string text = fmt::format("  {} differs in {} of {} bytes, first at byte {}",
                                 buffer_name(launch, difference.buffer), difference.different_bytes,
                                 launch.buffers[difference.buffer].before.size(), difference.first);
  if (difference.relative_as_f32)
    text += fmt::format("; read as f32, by {:.2g} of the value at most", *difference.relative_as_f32);
  return text + "\n";
}

std::string outputs_text(const CapturedLaunch& launch, const Replay& replay) {
  const bool changes = std::any_of(launch.buffers.begin(), launch.buffers.end(),
                                   [](const CapturedBuffer& buffer) { return buffer.after.has_value(); });
  if (replay.differences.empty())
    return changes
               ? "\nOutputs: all buffers have the same bytes as in the application.\n"
               : "\nOutputs: all buffers have the same bytes as in the application, but the launch changed "
                 "none there. So this says little.\n";
  std::string text = "\nOutputs differ from those in the application\n";
  for (const BufferDifference& difference : replay.differences) text += difference_text(launch, difference);
  return text;
}

std::string counters_text(const benching::RepeatedLaunch& repeated) {
  if (!repeated.replay.counter_problem.empty())
    return fmt::format("\nnote on counters: {}\n", base::printable_line(repeated.replay.counter_problem));
  if (repeated.replay.measurement.counters.empty()) return "";
  survey::analysis::CountedKernel counted;
  counted.counters = repeated.replay.measurement.counters;
  profiling::diagnosis::Diagnosis diagnosis = repeated.diagnosis;
  diagnosis.unchecked.clear();
  return fmt::format("\nHardware counters of one launch from a cold L2 cache\n  {}\n{}",
                     fmt::join(metric_texts(repeated.replay.measurement.counters), ", "),
                     diagnosis_text(diagnosis));
}

}  // namespace

std::string bench_report(const benching::Bench& bench) {
  std::string text = capture_text(bench.launch);
  if (!bench.repeated) return text;
  const Replay& replay = bench.repeated->replay;
  text += fmt::format("  repeated on {}\n", base::printable_line(bench.repeated->gpu.name));
  text +=
      times_text(bench.launch, replay) + outputs_text(bench.launch, replay) + counters_text(*bench.repeated);
  for (const std::string& warning : replay.warnings)
    text += fmt::format("note: {}\n", base::printable_line(warning));
  return text;
}

}  // namespace warptune::tuner::text_output::surveys
