// Writes the key that identifies a state.
#include "model/diagrams/level_state.h"

#include <algorithm>
#include <utility>

namespace warptune::model::diagrams {

namespace {

constexpr std::size_t kTagsPerWord = 21;  // A tag has three bits.

}  // namespace

LevelState::LevelState(LevelPlan given, std::size_t condition_words)
    : plan(std::move(given)),
      key(plan.live.size() + (plan.live.size() + kTagsPerWord - 1) / kTagsPerWord),
      states(key.size()),
      ranges(1),
      always(plan.bounds.size()),
      decided(condition_words, 0) {
  // The cost of going to the next level: the steps of arithmetic, and the writing of the key.
  std::size_t steps = plan.rest.size() + (plan.interval_checks.empty() ? 0 : plan.prepare.size());
  for (const LevelCheck& interval_check : plan.interval_checks) steps += interval_check.intervals.size() + 1;
  descent_cost = (steps + plan.live.size()) / kStepsPerEvaluation;
  std::size_t test_steps = 0;
  for (const LevelCheck& test : plan.tests) test_steps += test.exact.size();
  test_cost = 1 + test_steps / kStepsPerEvaluation;
}

// The key has a word of bits for each live node, then the tags, 21 in a word. A tag is the kind of the node's
// cell, or kNotNeeded. A node whose users are all decided does not distinguish states, so its bits stay 0.
void write_key(const PartialValues& values, LevelState& level) {
  constexpr std::uint64_t kNotNeeded = 7;
  const std::vector<LiveNode>& live = level.plan.live;
  std::fill(level.key.begin(), level.key.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < live.size(); ++i) {
    bool needed = false;
    for (std::size_t word = 0; word < level.decided.size(); ++word)
      needed = needed || (live[i].users[word] & ~level.decided[word]) != 0;
    const expressions::Cell& cell = values.cell(live[i].node);
    if (needed) level.key[i] = cell.bits();
    const std::uint64_t tag = needed ? static_cast<std::uint64_t>(cell.kind) : kNotNeeded;
    level.key[live.size() + i / kTagsPerWord] |= tag << (3 * (i % kTagsPerWord));
  }
}

}  // namespace warptune::model::diagrams
