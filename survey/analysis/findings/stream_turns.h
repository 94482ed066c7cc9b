// Streams whose work runs in turns, although different streams are independent by default.
#pragma once

#include <cstdint>

#include "survey/analysis/survey_facts.h"

namespace warptune::survey::analysis::findings {

/// Turns that have one cause.
struct Turns {
  std::int64_t count = 0;
  /// How much shorter the streams' work could be at most if they ran at once, in nanoseconds.
  std::int64_t saved = 0;
};

/// How the streams of one GPU follow each other. A turn is a pair of activities, one after the other in the
/// order of their start, that belong to different streams of one process.
struct StreamTurns {
  std::int64_t all = 0;      ///< All turns, also those that overlap.
  std::int64_t streams = 0;  ///< Streams with work, without default streams.
  /// The host gave the second activity to the GPU only when the first had ended, within 200 us of its end.
  Turns by_host;
  /// Exactly one of the two belongs to the default stream. The second was given before the first ended, but
  /// began only after that.
  Turns by_default_stream;
};

/// Looks at all turns of one GPU. A cause counts if at least 10 turns, and half of all, have it. Its `saved`
/// is the time in which work of the streams ran, less the time that the busiest engine needs. The engines
/// are: copies to the GPU, copies from it, and kernels. A kernel needs its duration times the part of the GPU
/// that its grid fills.
StreamTurns stream_turns(const SurveyFacts& facts, const DeviceFacts& device);

}  // namespace warptune::survey::analysis::findings
