#include "profiling/tracing/program_timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warptune::profiling::tracing {

namespace {

constexpr std::string_view kKinds[] = {"launch", "copy",     "fill", "prefetch",
                                       "call",   "allocate", "wait", "synchronise"};
constexpr std::string_view kMemories[] = {"device", "pinned", "pageable", "managed"};

template <class Enum, std::size_t kCount>
std::optional<Enum> named(const std::string_view (&names)[kCount], const std::string& text) {
  const auto* const found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(names));
}

}  // namespace

std::string_view to_string(StepKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
void parse_text(const std::string& text, std::optional<StepKind>& kind) {
  kind = named<StepKind>(kKinds, text);
}

std::string_view to_string(StepMemory memory) { return kMemories[static_cast<std::size_t>(memory)]; }
void parse_text(const std::string& text, std::optional<StepMemory>& memory) {
  memory = named<StepMemory>(kMemories, text);
}

ProgramTimeline not_traced(std::string problem) {
  ProgramTimeline timeline;
  timeline.problem = std::move(problem);
  return timeline;
}

}  // namespace warptune::profiling::tracing
