// Iterated local search (Lourenco, Martin and Stutzle 2003) with first improvement.
//
// A descent evaluates the neighbours of its centre in random order: first changes to adjacent values, then
// all other changes of one parameter. The first better neighbour becomes the centre. A descent ends after too
// many neighbours without a gain. The next one begins at the best of a few kicks, which are configurations
// two or more random changes away from the best. After many evaluations without a new best, it begins at the
// best of a few random configurations instead.
#include <deque>
#include <unordered_set>
#include <utility>

#include "search/strategies/stepwise_strategy.h"
#include "search/strategies/strategy_list.h"

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kStarts = 10;    // Random configurations; the first descent begins at the best one.
constexpr std::size_t kKicked = 3;     // The next start is the best of so many kicks,
constexpr std::size_t kRestarts = 8;   // or of so many random configurations.
constexpr std::size_t kPatience = 12;  // A descent ends after so many neighbours without a gain,
constexpr std::size_t kPatienceAtBest = 100;  // or after so many if it is at the best configuration.
constexpr std::size_t kStuckAfter = 20;       // Evaluations without a new best before starts are random.
constexpr int kKickAttempts = 20;             // The maximum number of kicks until one is new.

class LocalSearch : public StepwiseStrategy {
 public:
  LocalSearch(const model::Space& space, const StrategyOptions& options)
      : StepwiseStrategy(space, options, 0x6C6F63616CULL) {}

 private:
  std::optional<model::Configuration> propose() override {
    if (frontier().seen() < kStarts || !best()) return frontier().claim_random();
    if (!started_) {
      started_ = true;
      move_to(*best());
    }
    if (centre_) {
      const bool at_best = centre_->objective <= best()->objective;
      if (failed_ < (at_best ? kPatienceAtBest : kPatience)) {
        if (std::optional<model::Configuration> neighbour = claim_neighbour()) return neighbour;
      }
      begin_round();
    }
    std::optional<model::Configuration> start = kicking_ ? claim_kicked() : std::nullopt;
    if (!start) start = frontier().claim_random();
    if (start) starts_.insert(*space().index_of(*start));
    return start;
  }

  void learn(const model::Configuration& configuration, std::uint64_t index,
             std::optional<double> objective) override {
    const bool is_start = starts_.erase(index) > 0;
    if (centre_) {
      if (objective && *objective < centre_->objective) {
        move_to({configuration, *objective});
      } else {
        ++failed_;
      }
    } else if (is_start) {
      if (objective && (!best_start_ || *objective < best_start_->objective))
        best_start_ = Rated{configuration, *objective};
      if (starts_left_ > 1) {
        --starts_left_;
      } else if (best_start_) {
        move_to(*best_start_);
      }
    }
  }

  // Begins to look for a start. Candidates are kicks from the best, or random configurations after
  // `kStuckAfter` evaluations without a new best.
  void begin_round() {
    centre_.reset();
    best_start_.reset();
    kicking_ = since_best() < kStuckAfter;
    starts_left_ = kicking_ ? kKicked : kRestarts;
  }

  // Makes the point the centre of the search. While a known neighbour is better, that neighbour becomes the
  // centre, which needs no evaluation.
  void move_to(Rated point) {
    while (true) {
      std::optional<Rated> better = queue_neighbours(point);
      if (!better) break;
      point = *std::move(better);
    }
    centre_ = std::move(point);
    failed_ = 0;
    starts_.clear();
  }

  // Returns a known neighbour that is better. If there is no such neighbour, fills the queue with the new
  // neighbours, adjacent ones first.
  std::optional<Rated> queue_neighbours(const Rated& point) {
    neighbours_.clear();
    for (const model::Neighbourhood kind :
         {model::Neighbourhood::kAdjacent, model::Neighbourhood::kHamming}) {
      std::vector<model::Configuration> found = space().neighbours(point.configuration, kind);
      random().shuffle(found);
      for (model::Configuration& neighbour : found) {
        const std::optional<double> objective = known(neighbour);
        if (objective && *objective < point.objective) return Rated{std::move(neighbour), *objective};
        if (frontier().is_new(neighbour)) neighbours_.push_back(std::move(neighbour));
      }
    }
    return std::nullopt;
  }

  std::optional<model::Configuration> claim_neighbour() {
    while (!neighbours_.empty()) {
      model::Configuration neighbour = std::move(neighbours_.front());
      neighbours_.pop_front();
      if (frontier().claim(neighbour)) return neighbour;
    }
    return std::nullopt;
  }

  // Claims a new configuration that is two or more random changes away from the best. Returns std::nullopt if
  // no attempt finds one.
  std::optional<model::Configuration> claim_kicked() {
    for (int attempt = 0; attempt < kKickAttempts; ++attempt) {
      std::optional<model::Configuration> kicked = best()->configuration;
      for (int moves = 2 + attempt / 5; moves > 0 && kicked; --moves)
        kicked = random_neighbour(*kicked, model::Neighbourhood::kHamming);
      if (kicked && frontier().claim(*kicked)) return kicked;
    }
    return std::nullopt;
  }

  bool started_ = false;
  std::optional<Rated> centre_;  // The centre of the descent; empty while it looks for a start.
  std::deque<model::Configuration> neighbours_;  // New neighbours of the centre, in the order to try.
  std::size_t failed_ = 0;                       // Evaluations since the centre moved.
  bool kicking_ = false;
  std::size_t starts_left_ = 0;  // The number of starts without an outcome, for which the descent waits.
  std::optional<Rated> best_start_;
  std::unordered_set<std::uint64_t> starts_;  // Indices of pending starts.
};

std::unique_ptr<Strategy> make_local_search(const model::Space& space, const StrategyOptions& options) {
  return std::make_unique<LocalSearch>(space, options);
}

}  // namespace

StrategyInfo local_search_strategy() {
  return {
      "local_search",
      "first improvement among adjacent values, then among all single changes; kicks from the best; restarts",
      "iterated local search: Lourenco, Martin, Stutzle, Handbook of Metaheuristics, 2003", true,
      make_local_search};
}

}  // namespace warptune::search::strategies
