#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/findings/kernel_runs.h"

namespace warptune::survey::analysis::findings {

namespace {

struct CountedRuns {
  std::int64_t launches = 0;
  std::int64_t runs = 0;
  std::int64_t saved = 0;
  records::Index name = 0;
  GridFit fit;
};

CountedRuns counted_runs_of(const SurveyFacts& facts, const DeviceFacts& device) {
  CountedRuns sums;
  std::int64_t most = 0;
  for (const KernelRun& run : small_kernel_runs(facts, device)) {
    double filled = 0.0;  // The time that the run needs if it fills the GPU.
    std::int64_t alone = 0;
    std::int64_t longest = 0;
    const GridFit& fit = *facts.fits[facts.launch(device.timeline.work[run.works.front()]).shape];
    for (const std::size_t i : run.works) {
      const Work& work = device.timeline.work[i];
      filled += static_cast<double>(work.observed) * fit.gpu_share;
      alone += work.alone;
      longest = std::max(longest, work.observed);
    }
    const std::int64_t saved = alone - std::max(longest, static_cast<std::int64_t>(filled));
    if (saved <= 0) continue;
    ++sums.runs;
    sums.launches += static_cast<std::int64_t>(run.works.size());
    sums.saved += saved;
    if (saved > most) {
      most = saved;
      sums.name = facts.shape(device.timeline.work[run.works.front()]).name;
      sums.fit = fit;
    }
  }
  return sums;
}

std::optional<Seen> check_serial_kernels(const SurveyFacts& facts) {
  CountedRuns most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const CountedRuns runs = counted_runs_of(facts, device);
    if (runs.saved > most.saved) most = runs;
    return runs.saved;
  });
  if (most.saved == 0) return std::nullopt;
  seen.title =
      fmt::format("{} small launches run one after another that would fit side by side", most.launches);
  seen.evidence = {
      fmt::format("mostly {}", kernel_text(facts, most.name)),
      fmt::format("{}, {:.1f} % of what the GPU holds at once",
                  base::counted(static_cast<std::uint64_t>(most.fit.blocks), "block"),
                  100.0 * most.fit.gpu_share),
      fmt::format("{:.0f} in a row", static_cast<double>(most.launches) / static_cast<double>(most.runs)),
      fmt::format("side by side, they would take {} less", share_text(facts, most.saved))};
  return seen;
}

}  // namespace

FindingRule serial_kernels_finding() {
  FindingRule rule;
  rule.info = {
      .id = "serial_kernels",
      .trigger =
          "at least 4 launches of one kernel with one geometry follow each other in one stream. Each was "
          "queued before the one before it ended, takes 10 us to 1 ms, and fills at most half of the GPU. "
          "Kernels of NCCL do not count",
      .bound =
          "the time in which they ran alone, less the larger one of two times for each group. One is the "
          "time of its longest launch. The other is what its launches need if together they fill the GPU",
      .why =
          "Launches of one stream never run side by side. Shorter ones are limited by launches, and for "
          "longer ones the grid itself is what matters. A survey cannot see whether they depend on each "
          "other.",
      .source =
          "CUDA C++ Programming Guide, \"Concurrent Kernel Execution\"; CUDA C++ Best Practices Guide, "
          "\"Concurrent Kernel Execution\"",
      .advice =
          "If they do not depend on each other, join them into one launch with a larger grid, or use several "
          "streams. The branches of a graph run at once, too. If they do depend on each other, give each "
          "more blocks.",
  };
  rule.in_host_programs = true;
  rule.check = check_serial_kernels;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
