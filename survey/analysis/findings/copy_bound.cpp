#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis::findings {

namespace {

bool is_counted(const SurveyFacts& facts, const Work& work) {
  const records::Copy& copy = facts.copy(work);
  return copy.bytes >= kSmallCopy && uses_host_link(copy.direction) &&
         host_memory_of(copy.direction, copy.source, copy.destination) != records::MemoryKind::kPageable;
}

constexpr std::string_view kAdviceWithoutKernels =
    "Copy less: keep data on the GPU, or send smaller types. Kernels run without copies for "
    "a short time only, so more copies beside them gain little. "
    "The bound is that of a run without these copies.";

std::optional<Seen> check_copy_bound(const SurveyFacts& facts) {
  CopyCost most;
  std::int64_t beside = 0;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const CopyCost cost =
        cost_of_copies(facts, device, [&](const Work& work) { return is_counted(facts, work); });
    if (cost.cost() >= most.cost()) {
      most = cost;
      beside = std::min(cost.alone, device.timeline.kernels.without(device.timeline.transfers).total());
    }
    return cost.cost();
  });
  if (most.count == 0) return std::nullopt;
  const auto duration = static_cast<double>(std::max<std::int64_t>(1, most.duration));
  if (static_cast<double>(beside) < kWorthReading * static_cast<double>(facts.run))
    seen.advice = kAdviceWithoutKernels;
  seen.title = fmt::format("copies over the host link run alone for {}", share_text(facts, most.cost()));
  seen.evidence = {fmt::format("{} in {} at {:.3g} GB/s", bytes_text(static_cast<double>(most.bytes)),
                               base::counted(static_cast<std::uint64_t>(most.count), "copy", "copies"),
                               static_cast<double>(most.bytes) / duration),
                   fmt::format("kernels run without copies for long enough to hide {}", time_text(beside))};
  return seen;
}

}  // namespace

FindingRule copy_bound_finding() {
  FindingRule rule;
  rule.info = {
      .id = "copy_bound",
      .trigger = "copies of at least 64 KiB between the GPU and memory of the host that is not pageable",
      .bound =
          "the time in which only these copies ran, or the GPU was idle within their calls: the bound is "
          "that "
          "of a run without them",
      .why =
          "The GPU can copy in both directions while kernels run. Time in which only copies run is time of "
          "the link, not of the GPU. If kernels run alone for less than 5 % of the observed time, they "
          "cannot "
          "hide copies, and the advice is only to copy less.",
      .source = "CUDA C++ Best Practices Guide, \"Asynchronous and Overlapping Transfers with Computation\"",
      .advice =
          "Copy the next part in a second stream while a kernel works on this one. Copy less: keep data on "
          "the GPU, or send smaller types.",
  };
  rule.causes = {"redundant_copies", "serial_streams", "serialised_by_default_stream"};
  rule.in_host_programs = true;
  rule.check = check_copy_bound;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
