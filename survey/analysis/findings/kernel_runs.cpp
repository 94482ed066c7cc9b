#include "survey/analysis/findings/kernel_runs.h"

#include <map>
#include <optional>
#include <utility>

#include "survey/analysis/findings/finding_rule.h"

namespace warptune::survey::analysis::findings {

namespace {

constexpr std::size_t kShortestRun = 4;
constexpr double kHalfOfGpu = 0.5;
constexpr std::int64_t kLongLaunch = 1'000'000;

bool is_small(const SurveyFacts& facts, const Work& work) {
  if (work.kind != WorkKind::kKernel || is_communication(facts, work)) return false;
  const std::int64_t duration = work.time.duration();
  const std::optional<GridFit>& fit = facts.fits[facts.launch(work).shape];
  return duration >= kShortLaunch && duration < kLongLaunch && fit && fit->gpu_share <= kHalfOfGpu;
}

}  // namespace

std::vector<KernelRun> small_kernel_runs(const SurveyFacts& facts, const DeviceFacts& device) {
  const std::vector<Work>& work = device.timeline.work;
  std::vector<KernelRun> runs;
  std::map<records::Index, KernelRun> open;  // By stream.
  const auto close = [&](KernelRun& run) {
    if (run.works.size() >= kShortestRun) runs.push_back(std::exchange(run, {}));
    run.works.clear();
  };
  for (std::size_t i = 0; i < work.size(); ++i) {
    KernelRun& run = open[work[i].stream];
    if (!is_small(facts, work[i])) {
      close(run);
      continue;
    }
    if (!run.works.empty()) {
      const Work& before = work[run.works.back()];
      const std::optional<std::int64_t> given = facts.given_at(work[i]);
      const bool same = facts.launch(before).shape == facts.launch(work[i]).shape;
      if (!same || (given && *given >= before.time.end)) close(run);
    }
    run.works.push_back(i);
  }
  for (auto& [stream, run] : open) close(run);
  return runs;
}

}  // namespace warptune::survey::analysis::findings
