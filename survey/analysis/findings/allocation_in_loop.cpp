#include <fmt/format.h>

#include <optional>

#include "survey/analysis/findings/finding_list.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_allocation_in_loop(const SurveyFacts& facts) {
  GapCost most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const GapCost& cost = device.gaps.allocating;
    if (cost.duration > most.duration) most = cost;
    return cost.duration;
  });
  const std::int64_t calls = calls_after_start_up(facts, IdleCause::kAllocating);
  if (calls < 10 || most.count == 0) return std::nullopt;
  seen.title = fmt::format("{} calls allocate or free memory between launches", calls);
  seen.evidence = {fmt::format("the GPU is idle meanwhile for {}", share_text(facts, most.duration)),
                   fmt::format("{} in each of {} gaps", time_text(most.duration / most.count), most.count)};
  return seen;
}

}  // namespace

FindingRule allocation_in_loop_finding() {
  FindingRule rule;
  rule.info = {
      .id = "allocation_in_loop",
      .trigger =
          "at least 10 calls after the start-up that allocate or free memory of the GPU or pinned memory. "
          "Calls of "
          "less than 50 us that take memory from a pool (cudaMallocAsync, cudaFreeAsync) do not count",
      .bound =
          "the idle time in gaps with such a call, without copying and the host's own work of 50 us or more",
      .why =
          "cudaFree waits for all work of the GPU, and cudaMalloc and cudaHostAlloc change the address "
          "space. So nothing is queued when they return.",
      .source =
          "CUDA C++ Best Practices Guide, \"Allocation\"; CUDA C++ Programming Guide, \"Stream Ordered "
          "Memory Allocator\"",
      .advice =
          "Allocate once before the loop, or use cudaMallocAsync and cudaFreeAsync, which take memory from a "
          "pool. If they are slow, raise the pool's cudaMemPoolAttrReleaseThreshold, so that it keeps its "
          "memory "
          "when the program waits.",
  };
  rule.in_host_programs = true;
  rule.check = check_allocation_in_loop;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
