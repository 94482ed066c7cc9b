#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/host_link.h"

namespace warptune::survey::analysis::findings {

namespace {

constexpr std::int64_t kLongestPause = 100'000;
constexpr std::size_t kMinInRow = 4;

// What the copies of all runs cost, without the first of each run.
struct CopyRuns {
  std::int64_t copies = 0;
  std::uint64_t bytes = 0;
  std::int64_t runs = 0;
  std::int64_t cost = 0;
  std::vector<records::Interval> gaps;  // Between copies of a run, whatever else ran in them.
  std::vector<const Work*> open;

  void close(const SurveyFacts& facts) {
    if (open.size() >= kMinInRow) {
      ++runs;
      copies += static_cast<std::int64_t>(open.size());
      for (const Work* work : open) bytes += facts.copy(*work).bytes;
      for (std::size_t i = 1; i < open.size(); ++i) {
        cost += open[i]->alone;
        gaps.push_back({open[i - 1]->time.end, open[i]->time.start});
      }
    }
    open.clear();
  }
};

bool is_small_copy(const SurveyFacts& facts, const Work& work) {
  return work.kind == WorkKind::kCopy && facts.copy(work).bytes < kSmallCopy &&
         uses_host_link(facts.copy(work).direction);
}

// Whether a copy continues a run: nothing but this run was between them.
bool continues(const SurveyFacts& facts, const Work& before, const Work& work) {
  return work.stream == before.stream && facts.copy(work).direction == facts.copy(before).direction &&
         work.time.start - before.time.end <= kLongestPause;
}

CopyRuns copy_runs_of(const SurveyFacts& facts, const DeviceFacts& device) {
  CopyRuns runs;
  for (const Work& work : device.timeline.work) {
    const bool small = is_small_copy(facts, work);
    if (!small || (!runs.open.empty() && !continues(facts, *runs.open.back(), work))) runs.close(facts);
    if (small) runs.open.push_back(&work);
  }
  runs.close(facts);
  // In a gap, work of other streams may run. Then fewer copies would save nothing.
  if (!facts.whole.idle_is_uncertain)
    runs.cost += device.timeline.idle.common(IntervalSet(std::move(runs.gaps))).total();
  return runs;
}

std::optional<Seen> check_small_copies(const SurveyFacts& facts) {
  CopyRuns most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    CopyRuns runs = copy_runs_of(facts, device);
    if (runs.cost > most.cost) most = std::move(runs);
    return most.cost;
  });
  if (most.copies == 0) return std::nullopt;
  const auto copies = static_cast<double>(most.copies);
  seen.title = fmt::format("{} small copies follow each other", most.copies);
  seen.evidence = {
      fmt::format("{} each", bytes_text(static_cast<double>(most.bytes) / copies)),
      fmt::format("{} of {:.0f} copies", base::counted(static_cast<std::uint64_t>(most.runs), "group"),
                  copies / static_cast<double>(most.runs)),
      fmt::format("all but the first of each group cost {}", share_text(facts, most.cost))};
  return seen;
}

}  // namespace

FindingRule small_copies_finding() {
  FindingRule rule;
  rule.info = {
      .id = "small_copies",
      .trigger =
          "at least 4 copies of less than 64 KiB follow each other in one stream and one direction, with at "
          "most 100 us between them",
      .bound =
          "the time of all but the first copy of each group, with the gaps before them, in which nothing "
          "else ran",
      .why =
          "A copy of some bytes costs as much as one of 64 KiB. After more than 100 us the host had "
          "something else to do.",
      .source = "CUDA C++ Best Practices Guide, \"Data Transfer Between Host and Device\"",
      .advice =
          "Put the data into one buffer and copy it at once. Small values can be arguments of the kernel.",
  };
  rule.in_host_programs = true;
  rule.check = check_small_copies;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
