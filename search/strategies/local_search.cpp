#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "search/detail/frontier.h"
#include "search/strategies/strategies.h"

namespace warptune::search::detail {

namespace {

constexpr std::size_t kStarts = 10;
constexpr std::size_t kStuckAfter = 40;  // Evaluations without a new best before a random restart.
constexpr int kKickAttempts = 20;

class LocalSearch : public Strategy {
 public:
  LocalSearch(const Space& space, const StrategyOptions& options)
      : frontier_(space, options), random_(options.seed ^ 0x6C6F63616CULL) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> asked;
    while (asked.size() < count) {
      std::optional<Configuration> next = propose();
      if (!next) break;
      asked.push_back(*std::move(next));
    }
    return asked;
  }

  void tell(const Observation& observation) override {
    frontier_.claim(observation.configuration);
    const std::optional<std::uint64_t> index = frontier_.space().index_of(observation.configuration);
    if (!index) return;
    const bool starts_here = next_starts_.erase(*index) > 0;
    ++since_best_;
    // A dropped one leads on like any other, as far from the best every start of a descent is dropped.
    const bool measured = observation.status == Status::kMeasured;
    const bool rated = measured || observation.status == Status::kDropped;
    if (!rated || !std::isfinite(observation.objective)) return;
    known_[*index] = observation.objective;
    const Point point{observation.configuration, observation.objective};
    if (measured && (!best_ || point.objective < best_->objective)) {
      best_ = point;
      since_best_ = 0;
    }
    if (current_ ? point.objective < current_->objective : starts_here) move_to(point);
  }

 private:
  struct Point {
    Configuration configuration;
    double objective;
  };

  std::optional<Configuration> propose() {
    if (std::optional<Configuration> first = frontier_.claim_first()) return first;
    if (frontier_.seen() < kStarts || !best_) return frontier_.claim_random();
    if (!started_) {
      started_ = true;
      move_to(*best_);
    }
    if (current_) {
      if (std::optional<Configuration> neighbour = claim_neighbour()) return neighbour;
      current_.reset();
    }
    std::optional<Configuration> start = since_best_ < kStuckAfter ? claim_kicked() : std::nullopt;
    if (!start) start = frontier_.claim_random();
    if (start) next_starts_.insert(*frontier_.space().index_of(*start));
    return start;
  }

  // Takes the point as the centre of the search; moves on at no cost while a known neighbour is better.
  void move_to(Point point) {
    while (true) {
      const std::optional<Point> better = queue_neighbours(point);
      if (!better) break;
      point = *better;
    }
    current_ = std::move(point);
    next_starts_.clear();
  }

  // Fills the queue with the point's new neighbours, adjacent ones first; or returns a known one that is
  // better.
  std::optional<Point> queue_neighbours(const Point& point) {
    neighbours_.clear();
    for (const Neighbourhood kind : {Neighbourhood::kAdjacent, Neighbourhood::kHamming}) {
      std::vector<Configuration> found = frontier_.space().neighbours(point.configuration, kind);
      random_.shuffle(found);
      for (Configuration& neighbour : found) {
        const auto known = known_.find(*frontier_.space().index_of(neighbour));
        if (known != known_.end() && known->second < point.objective) {
          return Point{std::move(neighbour), known->second};
        }
        if (frontier_.is_new(neighbour)) neighbours_.push_back(std::move(neighbour));
      }
    }
    return std::nullopt;
  }

  std::optional<Configuration> claim_neighbour() {
    while (!neighbours_.empty()) {
      Configuration neighbour = std::move(neighbours_.front());
      neighbours_.pop_front();
      if (frontier_.claim(neighbour)) return neighbour;
    }
    return std::nullopt;
  }

  // A new configuration two or more random changes away from the best; nothing when the attempts find none.
  std::optional<Configuration> claim_kicked() {
    for (int attempt = 0; attempt < kKickAttempts; ++attempt) {
      Configuration kicked = best_->configuration;
      for (int moves = 2 + attempt / 5; moves > 0; --moves) {
        std::vector<Configuration> found = frontier_.space().neighbours(kicked, Neighbourhood::kHamming);
        if (found.empty()) break;
        kicked = std::move(found[random_.below(found.size())]);
      }
      if (frontier_.claim(kicked)) return kicked;
    }
    return std::nullopt;
  }

  Frontier frontier_;
  base::Random random_;
  bool started_ = false;
  std::optional<Point> best_;  // Measured.
  std::optional<Point> current_;
  std::deque<Configuration> neighbours_;             // Of `current_`, in the order to try.
  std::unordered_set<std::uint64_t> next_starts_;    // Pending; the first measured one becomes `current_`.
  std::unordered_map<std::uint64_t, double> known_;  // Objectives by index, estimates of dropped ones too.
  std::size_t since_best_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_local_search(const Space& space, const StrategyOptions& options) {
  return std::make_unique<LocalSearch>(space, options);
}

}  // namespace warptune::search::detail
