#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/findings/kernel_runs.h"

namespace warptune::survey::analysis::findings {

namespace {

struct SmallGrids {
  std::int64_t launches = 0;
  std::int64_t alone = 0;
  double wasted = 0.0;
  double most = 0.0;
  records::Index shape = 0;
};

SmallGrids small_grids(const SurveyFacts& facts, const DeviceFacts& device) {
  std::vector<bool> in_runs(device.timeline.work.size());
  for (const KernelRun& run : small_kernel_runs(facts, device)) {
    for (const std::size_t i : run.works) in_runs[i] = true;
  }
  SmallGrids sums;
  std::map<records::Index, double> by_shape;
  for (std::size_t i = 0; i < device.timeline.work.size(); ++i) {
    const Work& work = device.timeline.work[i];
    if (work.kind != WorkKind::kKernel || work.time.duration() < kShortLaunch || in_runs[i] ||
        is_communication(facts, work))
      continue;
    const records::Index shape = facts.launch(work).shape;
    const std::optional<GridFit>& fit = facts.fits[shape];
    if (!fit || fit->blocks >= fit->sm_count) continue;
    const double idle_sms = 1.0 - static_cast<double>(fit->blocks) / static_cast<double>(fit->sm_count);
    ++sums.launches;
    sums.alone += work.alone;
    sums.wasted += static_cast<double>(work.alone) * idle_sms;
    double& wasted = by_shape[shape];
    wasted += static_cast<double>(work.alone) * idle_sms;
    if (wasted >= sums.most) {
      sums.most = wasted;
      sums.shape = shape;
    }
  }
  return sums;
}

std::optional<Seen> check_low_occupancy_grid(const SurveyFacts& facts) {
  SmallGrids most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const SmallGrids grids = small_grids(facts, device);
    if (grids.wasted > most.wasted) most = grids;
    return static_cast<std::int64_t>(grids.wasted);
  });
  if (most.launches == 0) return std::nullopt;
  const GridFit& fit = *facts.fits[most.shape];
  seen.title = fmt::format("{} with fewer blocks than the GPU has SMs",
                           base::counted(static_cast<std::uint64_t>(most.launches), "launch", "launches"));
  seen.evidence = {fmt::format("mostly {}", kernel_text(facts, facts.survey->shapes[most.shape].name)),
                   fmt::format("{} for {} SMs",
                               base::counted(static_cast<std::uint64_t>(fit.blocks), "block"), fit.sm_count),
                   fmt::format("nothing else ran for {}", share_text(facts, most.alone))};
  return seen;
}

}  // namespace

FindingRule low_occupancy_grid_finding() {
  FindingRule rule;
  rule.info = {
      .id = "low_occupancy_grid",
      .trigger =
          "launches of 10 us or more whose grid has fewer blocks than the GPU has SMs, and that "
          "serial_kernels does not count. Kernels of NCCL do not count",
      .bound = "the time in which they ran alone, times the part of the SMs without a block",
      .why =
          "A block runs on one SM, so the others have nothing to do. Kernels of NCCL have few blocks on "
          "purpose, "
          "because other kernels run beside them.",
      .source = "CUDA C++ Best Practices Guide, \"Thread and Block Heuristics\"",
      .advice =
          "Divide the work into more blocks, for example along the dimension that is summed over. If that is "
          "not possible, run something else beside it.",
  };
  rule.check = check_low_occupancy_grid;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
