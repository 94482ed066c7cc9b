#include "tuner/text_output/surveys/program_steps_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::surveys {

using explaining::StepGroup;
using explaining::TracedProgram;
using profiling::tracing::GpuWork;
using profiling::tracing::ProgramRun;
using profiling::tracing::ProgramStep;
using profiling::tracing::TimeSpan;

namespace {

constexpr std::size_t kMaxGroups = 20;
constexpr std::size_t kMaxSteps = 32;  // Longer programs are shown by the table of groups alone.

std::string step_time(std::int64_t ns) { return base::format_time_ns(static_cast<double>(ns)); }

std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole))
                   : "-";
}

std::string step_bytes_text(std::uint64_t bytes) {
  return bytes == 0 ? "" : format_counter("byte", static_cast<double>(bytes));
}

std::string heading(const TracedProgram& program, double timed_ns, const std::string& title) {
  std::string text = fmt::format("\n{}: {} recorded, {} in the median", title,
                                 base::counted(program.timeline.runs.size(), "run"),
                                 step_time(program.typical_run().duration_ns));
  if (timed_ns > 0.0)
    text += fmt::format(" ({} when timed without a record)", base::format_time_ns(timed_ns));
  return text + "\n";
}

std::string gpu_text(const survey::analysis::DeviceTime& gpu) {
  std::string text = fmt::format(
      "  GPU: kernels {}, only copies {}, idle {}; more than one activity {}, copies beside kernels {}\n",
      share_text(gpu.kernels, gpu.window), share_text(gpu.copies_only, gpu.window),
      share_text(gpu.idle, gpu.window), share_text(gpu.overlapped, gpu.window),
      share_text(gpu.copies_beside_kernels, gpu.window));
  return text;
}

std::string groups_text(const TracedProgram& program) {
  TextTable table({"step", "", "in a run", "streams", "bytes", "host", "GPU", "alone"}, {2, 3, 4, 5, 6, 7});
  std::size_t shown = 0;
  for (const StepGroup& group : program.groups) {
    if (++shown > kMaxGroups) break;
    table.add({std::string(to_string(group.kind)), base::printable_line(group.text),
               std::to_string(group.count), std::to_string(group.streams.size()),
               step_bytes_text(group.bytes), program.timeline.graph ? "-" : step_time(group.host_ns),
               group.gpu_ns > 0 ? step_time(group.gpu_ns) : "-",
               group.gpu_ns > 0 ? share_text(group.alone_ns, group.gpu_ns) : "-"});
  }
  std::string text = table.text();
  if (program.groups.size() > kMaxGroups)
    text += base::counted(program.groups.size() - kMaxGroups, "more step") + " only in JSON\n";
  if (program.timeline.graph)
    text += fmt::format("  the host launches all steps as one graph, within {}\n",
                        step_time(program.typical_run().calls.front().duration_ns()));
  return text;
}

std::string order_text(const TracedProgram& program) {
  const auto& steps = program.timeline.steps;
  if (steps.size() > kMaxSteps) return "";
  const ProgramRun& run = program.typical_run();
  std::vector<std::optional<TimeSpan>> work(steps.size());
  for (const GpuWork& one : run.work) {
    std::optional<TimeSpan>& all = work[one.step];
    if (all)
      all->end_ns = std::max(all->end_ns, one.time.end_ns);
    else
      all = one.time;
  }
  TextTable table({"step", "", "stream", "host from", "to", "GPU from", "to"}, {2, 3, 4, 5, 6});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool has_call = !program.timeline.graph;
    table.add({std::string(to_string(steps[i].kind)), base::printable_line(steps[i].text),
               std::to_string(steps[i].stream), has_call ? step_time(run.calls[i].start_ns) : "-",
               has_call ? step_time(run.calls[i].end_ns) : "-", work[i] ? step_time(work[i]->start_ns) : "-",
               work[i] ? step_time(work[i]->end_ns) : "-"});
  }
  return "  the run with the median time\n" + table.text();
}

std::string program_findings_text(const TracedProgram& program) {
  if (program.findings.empty()) return "  Nothing was found that costs at least 5 % of the program.\n";
  std::string text = fmt::format("  Findings; counts in them are of {}\n",
                                 base::counted(program.timeline.runs.size(), "recorded run"));
  for (const survey::analysis::Finding& finding : program.findings) {
    text += fmt::format("  up to {:.2f}x  {} [{}]\n", finding.bound, base::printable_line(finding.title),
                        finding.rule);
    text += fmt::format("      seen: {}\n",
                        base::printable_line(fmt::format("{}", fmt::join(finding.evidence, "; "))));
    text += fmt::format("      {}\n", finding.advice);
  }
  return text;
}

}  // namespace

std::string program_steps_text(const TracedProgram& program, double timed_ns, const std::string& title) {
  if (program.timeline.runs.empty())
    return fmt::format("\n{}\n  not recorded: {}\n", title, base::printable_line(program.timeline.problem));
  std::string text = heading(program, timed_ns, title);
  if (program.time) text += gpu_text(*program.time);
  if (program.timeline.dropped > 0)
    text += fmt::format("  {} lost or of no step: idle time may be work, so no finding is about it\n",
                        base::counted(program.timeline.dropped, "record"));
  return text + groups_text(program) + order_text(program) + program_findings_text(program);
}

}  // namespace warptune::tuner::text_output::surveys
