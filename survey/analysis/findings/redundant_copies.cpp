#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis::findings {

namespace {

constexpr std::int64_t kFewPairs = 10;
// The host cannot have read and replaced the bytes in less time. This is the rate at which one core reads
// memory.
constexpr double kHostBytesPerNs = 10.0;

struct Pairs {
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t cost = 0;
};

bool is_large(const records::Copy& copy) {
  return copy.bytes >= kSmallCopy && uses_host_link(copy.direction);
}

// Whether a copy to the GPU may bring back what the copy before it took from there.
bool brings_back(const SurveyFacts& facts, const Work& down, const Work& up) {
  const records::Copy& from = facts.copy(down);
  const records::Copy& to = facts.copy(up);
  if (from.direction != records::CopyDirection::kDeviceToHost ||
      to.direction != records::CopyDirection::kHostToDevice || from.bytes != to.bytes ||
      down.stream != up.stream)
    return false;
  const auto gap = static_cast<double>(up.time.start - down.time.end);
  return gap >= 0.0 && gap <= std::max(50'000.0, static_cast<double>(from.bytes) / kHostBytesPerNs);
}

Pairs pairs_of(const SurveyFacts& facts, const DeviceFacts& device) {
  Pairs pairs;
  std::vector<const Work*> counted;
  const Work* before = nullptr;
  for (const Work& work : device.timeline.work) {
    if (work.kind != WorkKind::kCopy || !is_large(facts.copy(work))) continue;
    if (before != nullptr && brings_back(facts, *before, work)) {
      ++pairs.count;
      pairs.bytes += 2 * facts.copy(work).bytes;
      counted.push_back(before);
      counted.push_back(&work);
    }
    before = &work;
  }
  const CopyCost cost = cost_of_copies(facts, device, [&](const Work& work) {
    return std::binary_search(counted.begin(), counted.end(), &work);
  });
  pairs.cost = cost.cost();
  return pairs;
}

std::optional<Seen> check_redundant_copies(const SurveyFacts& facts) {
  Pairs most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const Pairs pairs = pairs_of(facts, device);
    if (pairs.count < kFewPairs) return std::int64_t{0};
    if (pairs.cost >= most.cost) most = pairs;
    return pairs.cost;
  });
  if (most.count == 0) return std::nullopt;
  seen.title = fmt::format("{} times, as many bytes go back to the GPU as just came from it", most.count);
  seen.evidence = {fmt::format("{} in both directions together", bytes_text(static_cast<double>(most.bytes))),
                   fmt::format("nothing else ran meanwhile for {}", share_text(facts, most.cost)),
                   "the host had no time to change them"};
  return seen;
}

}  // namespace

FindingRule redundant_copies_finding() {
  FindingRule rule;
  rule.info = {
      .id = "redundant_copies",
      .trigger =
          "at least 10 times, a copy to the GPU follows a copy of the same size from the GPU, in the same "
          "stream. Both have at least 64 KiB. No other copy of at least 64 KiB between the host and the GPU "
          "is between "
          "them. The time between them is at most 50 us, or what the host needs to read the bytes at 10 GB/s "
          "if that is longer",
      .bound = "the time in which only these copies ran, or the GPU was idle within their calls",
      .why =
          "Data that a kernel wrote and the next one reads need not leave the GPU. A survey sees sizes, not "
          "contents, so different bytes of the same size look the same.",
      .source = "CUDA C++ Best Practices Guide, \"Data Transfer Between Host and Device\"",
      .advice =
          "Keep the data on the GPU between the kernels, and copy only the last result. If the bytes differ "
          "each time, use two streams and two buffers, so that copies run beside kernels.",
  };
  rule.check = check_redundant_copies;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
