#include <fmt/format.h>

#include <optional>

#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/findings/stream_turns.h"

namespace warptune::survey::analysis::findings {

namespace {

std::optional<Seen> check_serial_streams(const SurveyFacts& facts) {
  StreamTurns most;
  Seen seen;
  seen.saved = largest(facts, [&](const DeviceFacts& device) {
    const StreamTurns turns = stream_turns(facts, device);
    if (turns.streams < 2) return std::int64_t{0};
    if (turns.by_host.saved > most.by_host.saved) most = turns;
    return turns.by_host.saved;
  });
  if (most.by_host.saved == 0) return std::nullopt;
  seen.title = fmt::format("{} streams run one after another", most.streams);
  seen.evidence = {
      fmt::format("{} of {} turns: the host gave a stream its work only when the stream before had "
                  "ended",
                  most.by_host.count, most.all),
      fmt::format("if the streams ran at once, their work would take up to {} less",
                  share_text(facts, most.by_host.saved))};
  return seen;
}

}  // namespace

FindingRule serial_streams_finding() {
  FindingRule rule;
  rule.info = {
      .id = "serial_streams",
      .trigger =
          "work in two or more streams besides the default stream. At least 10 turns (changes from one "
          "stream to another), and at least half of all turns, are serial. In a serial turn, the host gave "
          "the second stream its work only after the first stream's had ended. The second began at most "
          "200 us after that end",
      .bound =
          "the time of these streams' work, less that of the busiest engine. The engines are those for "
          "copies "
          "to the GPU, for copies from the GPU, and for kernels. The time of a kernel is multiplied by the "
          "part of the GPU that its grid fills",
      .why =
          "Streams are for work that may run at once. If the host waits for each of them, they run as one. "
          "If it does something else for longer than 200 us, that is another finding.",
      .source = "CUDA C++ Programming Guide, \"Concurrent Execution between Host and Device\", \"Streams\"",
      .advice =
          "Give all streams their work first, and then wait. Wait for one stream with cudaStreamSynchronize "
          "only before its results are used.",
  };
  rule.in_host_programs = true;
  rule.check = check_serial_streams;
  return rule;
}

}  // namespace warptune::survey::analysis::findings
