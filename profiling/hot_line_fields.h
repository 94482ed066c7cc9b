#pragma once

#include "model/fields.h"
#include "profiling/hot_lines.h"

/// Lists the members of sampled source lines with the names that they have in messages between processes.
/// `model/fields.h` does the same for measurements.
namespace warptune::profiling {

template <model::MaybeConst<SourceLine> Object, class Visit>
void visit_fields(Object& line, Visit&& visit) {
  visit("file", line.file);
  visit("number", line.number);
}

template <model::MaybeConst<StallSamples> Object, class Visit>
void visit_fields(Object& stall, Visit&& visit) {
  visit("reason", stall.reason);
  visit("samples", stall.samples);
}

template <model::MaybeConst<HotLine> Object, class Visit>
void visit_fields(Object& line, Visit&& visit) {
  visit("line", line.line);
  visit("text", line.text);
  visit("samples", line.samples);
  visit("share", line.share);
  visit("stalls", line.stalls);
}

template <model::MaybeConst<HotLines> Object, class Visit>
void visit_fields(Object& lines, Visit&& visit) {
  visit("lines", lines.lines);
  visit("samples", lines.samples);
  visit("dropped", lines.dropped);
  visit("launches", lines.launches);
  visit("problem", lines.problem);
}

}  // namespace warptune::profiling
