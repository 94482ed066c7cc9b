#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis::findings {

namespace {

bool is_pageable(const SurveyFacts& facts, const Work& work) {
  const records::Copy& copy = facts.copy(work);
  return copy.bytes >= kSmallCopy &&
         host_memory_of(copy.direction, copy.source, copy.destination) == records::MemoryKind::kPageable;
}

std::int64_t saved_by_pinning(const SurveyFacts& facts, const CopyCost& cost) {
  if (!facts.host_link_bytes_per_s) return cost.cost();
  const double needed = 1e9 * static_cast<double>(cost.bytes) / *facts.host_link_bytes_per_s;
  return std::max<std::int64_t>(0, cost.cost() - static_cast<std::int64_t>(needed));
}

std::optional<Seen> check_pageable_copies(const SurveyFacts& facts) {
  CopyCost all;
  const std::int64_t saved = largest(facts, [&](const DeviceFacts& device) {
    const CopyCost cost =
        cost_of_copies(facts, device, [&](const Work& work) { return is_pageable(facts, work); });
    if (cost.cost() >= all.cost()) all = cost;
    return saved_by_pinning(facts, cost);
  });
  if (all.count == 0) return std::nullopt;
  const double rate =
      static_cast<double>(all.bytes) / static_cast<double>(std::max<std::int64_t>(1, all.duration));
  Seen seen;
  seen.saved = saved;
  seen.title = fmt::format("{} {} pageable memory of the host",
                           base::counted(static_cast<std::uint64_t>(all.count), "copy", "copies"),
                           all.count == 1 ? "uses" : "use");
  seen.evidence = {fmt::format("{} at {:.3g} GB/s", bytes_text(static_cast<double>(all.bytes)), rate),
                   facts.host_link_bytes_per_s
                       ? fmt::format("the host link has {:.3g} GB/s{}", *facts.host_link_bytes_per_s / 1e9,
                                     facts.host_link_is_measured ? ", as measured" : " by theory")
                       : "the rate of the host link is unknown",
                   fmt::format("nothing else ran for {}", share_text(facts, all.alone))};
  if (!facts.whole.idle_is_uncertain)
    seen.evidence.push_back(fmt::format("the GPU was idle within their calls for {}", time_text(all.idle)));
  return seen;
}

}  // namespace

FindingRule pageable_copies_finding() {
  FindingRule rule;
  rule.info = {
      .id = "pageable_copies",
      .trigger = "copies of at least 64 KiB between the GPU and pageable memory of the host",
      .bound =
          "the time in which only these copies ran, or the GPU was idle within their calls. If the rate of "
          "the host link is known, the time for these bytes at this rate is subtracted",
      .why =
          "The driver copies pageable memory through a pinned buffer of its own, and the call returns late. "
          "Smaller copies are sent with the command, so pinning them gains little.",
      .source = "CUDA C++ Best Practices Guide, \"Pinned Memory\"",
      .advice =
          "Allocate the host memory with cudaHostAlloc, or pin it once with cudaHostRegister. In PyTorch, "
          "use pin_memory=True and non_blocking=True.",
  };
  rule.in_host_programs = true;
  rule.check = check_pageable_copies;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
