#pragma once

#include "profiling/hot_lines.h"
#include "search/fields.h"

/// The members of sampled source lines that are sent by name, as `search/fields.h` has those of measurements.
namespace warptune::profiling {

template <search::MaybeConst<SourceLine> Object, class Visit>
void visit_fields(Object& line, Visit&& visit) {
  visit("file", line.file);
  visit("number", line.number);
}

template <search::MaybeConst<StallSamples> Object, class Visit>
void visit_fields(Object& stall, Visit&& visit) {
  visit("reason", stall.reason);
  visit("samples", stall.samples);
}

template <search::MaybeConst<HotLine> Object, class Visit>
void visit_fields(Object& line, Visit&& visit) {
  visit("line", line.line);
  visit("text", line.text);
  visit("samples", line.samples);
  visit("share", line.share);
  visit("stalls", line.stalls);
}

template <search::MaybeConst<HotLines> Object, class Visit>
void visit_fields(Object& lines, Visit&& visit) {
  visit("lines", lines.lines);
  visit("samples", lines.samples);
  visit("dropped", lines.dropped);
  visit("launches", lines.launches);
  visit("problem", lines.problem);
}

}  // namespace warptune::profiling
