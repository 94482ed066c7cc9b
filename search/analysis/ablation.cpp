// Ablation analysis (Fawcett and Hoos 2016) with groups of changes.
//
// The start and the end of the path differ in n parameters. Each subset of these n changes is a
// configuration, which a mask of n bits identifies. Each step measures all configurations with one more
// change and takes the fastest, so a path needs O(n^2) measurements. It shows which changes gain the most
// time, in order.
//
// Constraints tie some parameters to each other: a tile must change together with its block, for example.
// Then no single change may be valid, and the original method ends. Here, groups of two, three and more
// changes are tried in ascending size until one is valid and runs. If every single change makes the kernel
// slower, groups of two and three changes are tried, too, to find one that makes it faster. The number of
// groups of one size is limited.
#include "search/analysis/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/error.h"
#include "search/analysis/timed_rows.h"

namespace warptune::search::analysis {

namespace {

constexpr double kSlower = 1.02;  // A larger ratio of times is more than noise.
// The size of the largest group that is tried if smaller groups run, but are slower.
constexpr std::size_t kLargestFasterGroup = 3;
constexpr std::size_t kMaxGroups = 300;  // The maximum number of groups of one size.
constexpr int kMaxExaminedGroup = 10;    // The size of the largest group whose subsets are all examined.

constexpr std::array<std::string_view, 5> kGroupings = {"alone", "invalid_apart", "failed_apart",
                                                        "slower_apart", "unknown_apart"};

model::NamedValues checked(const model::Space& space, const model::NamedValues& values) {
  const base::Result<model::Configuration> configuration = space.configuration_of(values);
  if (!configuration)
    throw base::InputError(fmt::format("{}: {}", model::to_text(values), configuration.error()));
  if (const std::optional<std::string> broken = space.broken_constraint(*configuration))
    throw base::InputError(fmt::format("{}: {}", model::to_text(values), *broken));
  return space.values_of(*configuration);
}

}  // namespace

std::string_view to_string(Grouping grouping) { return kGroupings[static_cast<std::size_t>(grouping)]; }

struct Ablation::Choice {
  Mask group = 0;  // 0 if no group was found.
  double time_ns = std::numeric_limits<double>::infinity();
};

Ablation::Ablation(const model::Space& space, const model::NamedValues& from, const model::NamedValues& to)
    : space_(space), from_(checked(space, from)) {
  const model::NamedValues target = checked(space, to);
  for (std::size_t i = 0; i < from_.size(); ++i) {
    if (from_[i].second == target[i].second) continue;
    changes_.push_back({from_[i].first, from_[i].second, target[i].second});
  }
  if (changes_.size() > 63)
    throw base::InputError(fmt::format(
        "{} parameters differ between the two configurations, expected at most 63", changes_.size()));
  all_ = (Mask{1} << changes_.size()) - 1;
}

model::NamedValues Ablation::configuration_of(Mask mask) const {
  model::NamedValues values = from_;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if ((mask >> i & 1U) == 0) continue;
    for (auto& [name, value] : values) {
      if (name == changes_[i].name) value = changes_[i].to;
    }
  }
  return values;
}

// Writes the mask of a configuration. Returns false if a parameter has neither of the values at the two ends
// of the path. `changes_` has the order of `from_`.
bool Ablation::mask_of(const model::NamedValues& configuration, Mask& mask) const {
  mask = 0;
  std::size_t change = 0;
  for (const auto& [name, value] : from_) {
    const model::Value* given = model::find(configuration, name);
    const bool differs = change < changes_.size() && changes_[change].name == name;
    if (given == nullptr || (*given != value && !(differs && *given == changes_[change].to))) return false;
    if (!differs) continue;
    if (*given != value) mask |= Mask{1} << change;
    ++change;
  }
  return true;
}

Ablation::Node& Ablation::node(Mask mask) {
  const auto found = nodes_.find(mask);
  if (found != nodes_.end()) return found->second;
  Node fresh;
  const base::Result<model::Configuration> configuration = space_.configuration_of(configuration_of(mask));
  if (!configuration || !space_.contains(*configuration)) fresh.state = State::kInvalid;
  return nodes_.emplace(mask, std::move(fresh)).first->second;
}

void Ablation::tell(const model::Measurement& measurement) {
  Mask mask = 0;
  if (!mask_of(measurement.configuration, mask)) return;
  Node& told = node(mask);
  if (told.state == State::kInvalid) return;
  told.state = has_time(measurement) ? State::kKnown : State::kFailed;
  told.measurement = measurement;
}

void Ablation::give_up(const model::NamedValues& configuration) {
  Mask mask = 0;
  if (mask_of(configuration, mask) && node(mask).state == State::kUnknown) node(mask).state = State::kGivenUp;
}

const model::Measurement* Ablation::start() const {
  const auto found = nodes_.find(0);
  const bool known = found != nodes_.end() && found->second.state == State::kKnown;
  return known ? &found->second.measurement : nullptr;
}

std::vector<model::NamedValues> Ablation::next_unknown() {
  std::vector<model::NamedValues> needed;
  for (const Mask end : {Mask{0}, all_}) {
    const State state = node(end).state;
    const bool unknown = state == State::kUnknown;
    if (state == State::kFailed || state == State::kGivenUp || (unknown && !asking_)) return {};
    if (unknown) needed.push_back(configuration_of(end));
    if (all_ == 0) break;  // Both ends are the same configuration.
  }
  while (needed.empty() && at_ != all_) {
    Choice choice;
    if (!choose(choice, needed)) break;
    count_unmeasured();
    take(choice.group);
  }
  return needed;
}

// The groups of `size` changes, among the changes that are left, in lexicographic order, at most kMaxGroups.
std::vector<Ablation::Mask> Ablation::groups(std::size_t size) const {
  std::vector<Mask> bits;
  for (Mask left = all_ & ~at_; left != 0; left &= left - 1) bits.push_back(left & (~left + 1));
  std::vector<Mask> found;
  if (size == bits.size()) return {all_ & ~at_};
  std::vector<std::size_t> chosen(size);
  for (std::size_t i = 0; i < size; ++i) chosen[i] = i;
  while (found.size() < kMaxGroups) {
    Mask group = 0;
    for (const std::size_t bit : chosen) group |= bits[bit];
    found.push_back(group);
    std::size_t i = size;
    while (i > 0 && chosen[i - 1] == bits.size() - size + i - 1) --i;
    if (i == 0) break;
    ++chosen[i - 1];
    for (std::size_t j = i; j < size; ++j) chosen[j] = chosen[j - 1] + 1;
  }
  return found;
}

// The groups of `size` changes that lead to a known time.
std::vector<Ablation::Mask> Ablation::known_groups(std::size_t size) const {
  std::vector<Mask> found;
  for (const auto& [mask, reached] : nodes_) {
    const Mask group = mask & ~at_;
    const bool onward = (mask & at_) == at_ && static_cast<std::size_t>(std::popcount(group)) == size;
    if (onward && reached.state == State::kKnown) found.push_back(group);
  }
  return found;
}

void Ablation::count_unmeasured() {
  for (const Mask group : groups(1)) {
    const State state = node(at_ | group).state;
    if (state == State::kUnknown || state == State::kGivenUp) ++unmeasured_changes_;
  }
}

// Writes the fastest group to `choice`. If some groups must be measured first, adds them to `needed` and
// returns false.
bool Ablation::best_of(const std::vector<Mask>& groups, Choice& choice,
                       std::vector<model::NamedValues>& needed) {
  for (const Mask group : groups) {
    Node& reached = node(at_ | group);
    if (reached.state == State::kUnknown) {
      if (asking_) needed.push_back(configuration_of(at_ | group));
    } else if (reached.state == State::kKnown && reached.measurement.time->median_ns < choice.time_ns) {
      choice = {group, reached.measurement.time->median_ns};
    }
  }
  return needed.empty();
}

// Chooses the fastest group of the smallest size at which any group runs. If it is more than 2 % slower than
// the current configuration, chooses a larger group instead that is faster than the current configuration, if
// there is one. Returns false if configurations must be measured first (`needed`), or if no group runs.
bool Ablation::choose(Choice& choice, std::vector<model::NamedValues>& needed) {
  const auto left = static_cast<std::size_t>(std::popcount(all_ & ~at_));
  const std::optional<double> now_ns = model::median_ns_of(node(at_).measurement);
  if (!now_ns) return false;  // A later row of the same configuration has no time.
  for (std::size_t size = 1; size <= left; ++size) {
    Choice of_size;
    if (!best_of(asking_ ? groups(size) : known_groups(size), of_size, needed)) return false;
    const bool found = of_size.group != 0;
    if (choice.group == 0 && found) {
      choice = of_size;
      if (choice.time_ns <= kSlower * *now_ns) return true;
    } else if (found && of_size.time_ns < *now_ns) {
      choice = of_size;
      return true;
    }
    if (choice.group != 0 && size >= kLargestFasterGroup) return true;
  }
  return choice.group != 0;
}

Grouping Ablation::grouping_of(Mask group) {
  if (std::has_single_bit(group)) return Grouping::kAlone;
  if (std::popcount(group) > kMaxExaminedGroup) return Grouping::kUnmeasuredSeparately;
  bool invalid_only = true;
  bool known = false;
  for (Mask part = (group - 1) & group; part != 0; part = (part - 1) & group) {
    const State state = node(at_ | part).state;
    if (state == State::kGivenUp || state == State::kUnknown) return Grouping::kUnmeasuredSeparately;
    invalid_only = invalid_only && state == State::kInvalid;
    known = known || state == State::kKnown;
  }
  return invalid_only ? Grouping::kInvalidApart : known ? Grouping::kSlowerApart : Grouping::kFailedApart;
}

void Ablation::take(Mask group) {
  AblationStep step;
  step.grouping = grouping_of(group);
  at_ |= group;
  step.after = node(at_).measurement;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if ((group >> i & 1U) != 0) step.changes.push_back(changes_[i]);
  }
  steps_.push_back(std::move(step));
}

}  // namespace warptune::search::analysis
