// The phases of a cover (docs/cover.md). First, few sizes that are spread out are tuned. Further sizes follow
// where the cover is least sure. Then gaps in the table are filled if that might save a configuration. The
// sizes that are held back check the result.
#include "tuner/covering/cover_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/random.h"
#include "tuner/covering/cover_gaps.h"
#include "tuner/covering/held_back.h"
#include "tuner/covering/predicted_loss.h"
#include "tuner/covering/size_choice.h"
#include "tuner/covering/size_pool.h"

namespace warptune::tuner::covering {

using covers::CoverTable;
using covers::ListedSize;
using covers::Size;
using covers::SizeCover;

namespace {

constexpr std::size_t kPool = 512;
constexpr std::size_t kMaxSeeds = 9;
constexpr std::uint64_t kMinSeedEvaluations = 8;
constexpr std::uint64_t kMaxSeedEvaluations = 64;
constexpr std::uint64_t kSearched = 8;     // Evaluations of the search at a further size.
constexpr double kSeedsShare = 0.3;        // A share of the budget.
constexpr double kFurtherShare = 0.8;      // A share of the budget, which includes the seeds.
constexpr std::size_t kSettledAfter = 20;  // Sizes in a row that were answered within the limit.
constexpr std::size_t kQuickSteps = 200;   // The limit of `minimum_cover` while the table grows.

class CoverSearch {
 public:
  CoverSearch(const CoverGoal& goal, CoverTable& table, std::uint64_t evaluations,
              const SizeMeasurer& measure, const std::function<double()>& seconds,
              const std::function<void(const CoverProgress&)>& on_progress)
      : goal_(goal),
        table_(table),
        measure_(measure),
        seconds_(seconds),
        on_progress_(on_progress),
        gaps_(table) {
    outcome_.evaluations = evaluations;
    table_.demanded = goal.reproducible;
    for (const covers::SizeEntry& entry : goal.range.entries) names_.push_back(entry.name);
    draw_held_back();
    for (ListedSize& one : size_pool(goal.range, kPool, goal.seed)) {
      if (held_back_sizes_.count(one.size) == 0) pool_.push_back(std::move(one));
    }
  }

  CoverOutcome run() {
    measure_seeds();
    measure_further(kFurtherShare);
    fill_gaps();
    measure_further(1.0);
    conclude();
    for (const covers::CoverSize& size : table_.sizes) {
      if (!std::isfinite(size.best_ns))
        outcome_.failed.push_back(
            {size.size, fmt::format("no configuration {} at all sizes where it was compared",
                                    table_.demanded ? table_.demanded->sentence() : "has a time")});
    }
    return std::move(outcome_);
  }

 private:
  // The share of the budget that is used.
  double used() const {
    double share = 0.0;
    if (goal_.budget.evaluations)
      share = static_cast<double>(outcome_.evaluations) / static_cast<double>(*goal_.budget.evaluations);
    if (goal_.budget.seconds) share = std::max(share, seconds_() / *goal_.budget.seconds);
    return share;
  }

  // Those while the table grows.
  covers::CoverLimits quick_limits() const {
    covers::CoverLimits limits = goal_.limits();
    limits.max_steps = kQuickSteps;
    return limits;
  }

  void draw_held_back() {
    base::Random random(base::split_mix64(goal_.seed));
    const auto most = static_cast<std::size_t>(size_count(goal_.range)) / 4;
    const std::size_t count = std::min(goal_.checks, most);
    for (std::size_t i = 0; i < 100 * count && held_back_.size() < count; ++i) {
      ListedSize drawn = draw_size(goal_.range, random);
      const std::optional<std::size_t> known = table_.find(drawn.size);
      if (known && !table_.sizes[*known].held_back) continue;
      if (held_back_sizes_.insert(drawn.size).second) held_back_.push_back(std::move(drawn));
    }
  }

  bool is_measured(const Size& size) const { return table_.find(size) || failed_.count(size) != 0; }

  // Measures and takes the rows. False: it was interrupted.
  bool run_task(CoverPhase phase, const SizeTask& task) {
    SizeRows rows = measure_(task);
    (task.held_back ? outcome_.check_evaluations : outcome_.evaluations) += rows.evaluated;
    outcome_.interrupted = rows.interrupted;
    if (!rows.failure.empty()) {
      failed_.insert(task.at.size);
      outcome_.failed.push_back({task.at.size, rows.failure});
    } else {
      table_.add(task.at.size, task.at.weight, task.held_back, rows.rows);
      if (!table_.find(task.at.size)) {
        failed_.insert(task.at.size);
        outcome_.failed.push_back(
            {task.at.size, table_.demanded ? "no configuration could be measured that meets the demand"
                                           : "no configuration could be measured"});
      }
    }
    std::optional<double> loss;
    const std::optional<std::size_t> place = table_.find(task.at.size);
    if (cover_ && place) loss = loss_or_infinite(table_, cover_->answer(task.at.size), *place);
    if (phase == CoverPhase::kFurther && loss) surprises_.push_back({task.at.size, *loss});
    if (!task.held_back) cover_ = covers::derive_cover(names_, table_, quick_limits());
    on_progress_({phase, task.at.size, table_.taking_part(), outcome_.evaluations,
                  cover_ ? cover_->configurations.size() : 0, loss});
    return !outcome_.interrupted;
  }

  void measure_seeds() {
    const std::vector<ListedSize> seeds = spread_out(goal_.range, pool_, kMaxSeeds);
    std::uint64_t each = kMaxSeedEvaluations;
    if (goal_.budget.evaluations) {
      const double share = kSeedsShare * static_cast<double>(*goal_.budget.evaluations);
      each = std::clamp(static_cast<std::uint64_t>(share / static_cast<double>(seeds.size())),
                        kMinSeedEvaluations, kMaxSeedEvaluations);
    }
    for (const ListedSize& seed : seeds) {
      if (used() >= kSeedsShare && !table_.sizes.empty()) break;
      if (is_measured(seed.size)) continue;
      SizeTask task;
      task.at = seed;
      task.searches = true;
      task.budget = evaluations_budget(each);
      if (!run_task(CoverPhase::kSeeds, task)) return;
    }
    if (!cover_) cover_ = covers::derive_cover(names_, table_, quick_limits());
  }

  static session::Budget evaluations_budget(std::uint64_t evaluations) {
    return session::Budget::parse(std::to_string(evaluations));
  }

  // The size of the pool where the cover is least sure. Null if none is left.
  const ListedSize* least_sure() const {
    const ListedSize* found = nullptr;
    double most = -1.0;
    for (const ListedSize& one : pool_) {
      if (is_measured(one.size)) continue;
      const double here = uncertainty(table_, *cover_, surprises_, one);
      if (here <= most) continue;
      most = here;
      found = &one;
    }
    return found;
  }

  bool is_settled() const {
    if (surprises_.size() < kSettledAfter) return false;
    return std::all_of(surprises_.end() - kSettledAfter, surprises_.end(),
                       [&](const auto& one) { return one.loss <= goal_.limit_share; });
  }

  void measure_further(double share) {
    while (cover_ && !outcome_.interrupted && used() < share && !is_settled()) {
      const ListedSize* next = least_sure();
      if (next == nullptr) break;
      SizeTask task;
      task.at = *next;
      task.named = likely_best(table_, *cover_, next->size);
      task.searches = true;
      task.budget = evaluations_budget(1 + task.named.size() + kSearched);
      run_task(CoverPhase::kFurther, task);
    }
    outcome_.settled = is_settled() || (cover_ && least_sure() == nullptr);
  }

  void fill_gaps() {
    bool any = true;
    while (any && cover_ && !outcome_.interrupted && used() < 1.0) {
      any = false;
      const HopedLosses hoped = gaps_.hoped_losses();
      const std::vector<std::size_t> configurations = gaps_.hoped_cover(hoped, quick_limits());
      const bool is_better = configurations.size() < cover_->configurations.size() ||
                             (goal_.max_configurations != 0 && configurations != cover_->configurations);
      for (std::size_t place = 0; place < hoped.sizes.size() && used() < 1.0; ++place) {
        const std::size_t s = hoped.sizes[place];
        std::vector<model::NamedValues> named = gaps_.answer_at(s, *cover_);
        if (is_better) {
          for (model::NamedValues& one : gaps_.times_at(hoped, place, configurations, quick_limits()))
            named.push_back(std::move(one));
        }
        if (named.empty()) continue;
        any = true;
        if (!run_task(CoverPhase::kGaps, named_task(s, named))) return;
      }
    }
  }

  SizeTask named_task(std::size_t s, const std::vector<model::NamedValues>& named) const {
    SizeTask task;
    task.at = {table_.sizes[s].size, table_.sizes[s].weight};
    task.held_back = table_.sizes[s].held_back;
    task.named = named;
    return task;
  }

  // Derives the cover of the result, and checks it. The comparisons measure times, too, so it is derived
  // until they are complete. If a configuration turns out at a held-back size to have other outputs than
  // demanded, all of this is repeated without it.
  void conclude() {
    std::size_t excluded = 0;
    std::size_t reached = 0;
    do {
      do {
        outcome_.cover = covers::derive_cover(names_, table_, goal_.limits());
        if (!outcome_.cover || outcome_.interrupted) return;
      } while (compare_outputs(false));
      excluded = table_.excluded_count();
      reached = measure_held_back();
      compare_outputs(true);
    } while (table_.excluded_count() != excluded);
    outcome_.checked = check_sizes(table_, *outcome_.cover, std::span(held_back_).first(reached));
  }

  // Compares the outputs of each configuration of the cover where they are not known. Whether there were any.
  bool compare_outputs(bool held_back) {
    bool any = false;
    for (std::size_t s = 0; s < table_.sizes.size() && !outcome_.interrupted; ++s) {
      if (table_.sizes[s].held_back != held_back) continue;
      std::vector<model::NamedValues> named = gaps_.outputs_at(s, outcome_.cover->configurations);
      any = any || !named.empty();
      while (!named.empty() && run_task(CoverPhase::kOutputs, named_task(s, named)))
        named = gaps_.outputs_at(s, outcome_.cover->configurations);
    }
    return any;
  }

  // Returns how many of the sizes that are held back were done before an interruption.
  std::size_t measure_held_back() {
    cover_ = outcome_.cover;
    std::size_t done = 0;
    for (const ListedSize& at : held_back_) {
      const std::size_t answer = cover_->answer(at.size);
      const std::optional<std::size_t> place = table_.find(at.size);
      if (failed_.count(at.size) == 0 && (!place || !table_.loss(answer, *place))) {
        SizeTask task;
        task.at = at;
        task.held_back = true;
        task.named = {table_.configurations[answer]};
        for (const std::size_t c : cover_->configurations) {
          if (c != answer) task.named.push_back(table_.configurations[c]);
        }
        task.searches = true;
        task.budget = goal_.check_budget;
        if (!run_task(CoverPhase::kChecks, task)) return done;
      }
      ++done;
    }
    return done;
  }

  const CoverGoal& goal_;
  CoverTable& table_;
  const SizeMeasurer& measure_;
  const std::function<double()>& seconds_;
  const std::function<void(const CoverProgress&)>& on_progress_;
  CoverGaps gaps_;
  std::vector<std::string> names_;
  std::vector<ListedSize> pool_;
  std::vector<ListedSize> held_back_;
  std::set<Size> held_back_sizes_;
  std::set<Size> failed_;
  std::optional<SizeCover> cover_;   // Derived after the last task.
  std::vector<Surprise> surprises_;  // Further sizes, and what the cover lost there before.
  CoverOutcome outcome_;
};

}  // namespace

CoverOutcome search_cover(const CoverGoal& goal, CoverTable& table, std::uint64_t evaluations,
                          const SizeMeasurer& measure, const std::function<double()>& seconds,
                          const std::function<void(const CoverProgress&)>& on_progress) {
  return CoverSearch(goal, table, evaluations, measure, seconds, on_progress).run();
}

}  // namespace warptune::tuner::covering
