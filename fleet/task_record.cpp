#include "fleet/task_record.h"

#include <array>
#include <set>
#include <utility>

namespace warptune::fleet {

namespace {

constexpr std::array<std::pair<TaskState, std::string_view>, 6> kStates{
    {{TaskState::kOpen, "open"},
     {TaskState::kLeased, "leased"},
     {TaskState::kDone, "done"},
     {TaskState::kFailed, "failed"},
     {TaskState::kQuarantined, "quarantined"},
     {TaskState::kCancelled, "cancelled"}}};

constexpr std::array<std::pair<AttemptEnd, std::string_view>, 7> kEnds{
    {{AttemptEnd::kRunning, "running"},
     {AttemptEnd::kDone, "done"},
     {AttemptEnd::kFailed, "failed"},
     {AttemptEnd::kLost, "lost"},
     {AttemptEnd::kGivenBack, "given back"},
     {AttemptEnd::kSuperseded, "superseded"},
     {AttemptEnd::kCancelled, "cancelled"}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "unknown";
}

template <class Value, class Names>
std::optional<Value> value_in(const Names& names, std::string_view text) {
  for (const auto& [known, name] : names)
    if (name == text) return known;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(TaskState state) { return name_in(kStates, state); }
std::optional<TaskState> parse_task_state(std::string_view text) {
  return value_in<TaskState>(kStates, text);
}
std::string_view to_string(AttemptEnd end) { return name_in(kEnds, end); }
std::optional<AttemptEnd> parse_attempt_end(std::string_view text) {
  return value_in<AttemptEnd>(kEnds, text);
}

bool is_to_be_quarantined(const std::vector<Attempt>& attempts, std::uint64_t retried_fence) {
  int losses = 0;
  std::set<std::string> nodes;
  for (const Attempt& attempt : attempts) {
    if (attempt.fence <= retried_fence || attempt.end != AttemptEnd::kLost) continue;
    ++losses;
    nodes.insert(attempt.node);
  }
  return losses >= kQuarantineLosses && nodes.size() >= static_cast<std::size_t>(kQuarantineNodes);
}

}  // namespace warptune::fleet
