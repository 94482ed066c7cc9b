#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/findings/stream_turns.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_serialised_by_default_stream(const SurveyFacts& facts) {
  StreamTurns most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const StreamTurns turns = stream_turns(facts, device);
    if (turns.by_default_stream.saved > most.by_default_stream.saved) most = turns;
    return turns.by_default_stream.saved;
  });
  if (most.by_default_stream.saved == 0) return std::nullopt;
  seen.title = fmt::format("The default stream makes {} wait for each other",
                           base::counted(static_cast<std::uint64_t>(most.streams), "other stream"));
  seen.evidence = {
      fmt::format(
          "{} of {} turns: work was queued, and began only when the default stream's had ended, or the "
          "opposite",
          most.by_default_stream.count, most.all),
      fmt::format("if the streams ran at once, their work would take up to {} less",
                  share_text(facts, most.by_default_stream.saved))};
  return seen;
}

}  // namespace

FindingRule serialised_by_default_stream_finding() {
  FindingRule rule;
  rule.info = {
      .id = "serialised_by_default_stream",
      .trigger =
          "at least 10 turns (changes from one stream to another), and at least half of all, are between the "
          "default stream and another one. The second activity was queued before the first ended, but began "
          "after it",
      .bound = "as serial_streams, with the default stream",
      .why = "The legacy default stream waits for all blocking streams of its context, and they wait for it.",
      .source =
          "CUDA C++ Programming Guide, \"Default Stream\"; CUDA Runtime API, \"Stream synchronization "
          "behavior\"",
      .advice =
          "Use no default stream beside others: give each launch, copy and fill a stream, create streams "
          "with cudaStreamNonBlocking, or compile with --default-stream per-thread.",
  };
  rule.check = check_serialised_by_default_stream;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
