// Simulated nodes that use a store as real ones do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warptune::bench::fleet {

/// What the nodes do. Times are those of reality; `speed` divides them.
struct Load {
  int nodes = 0;
  int pool = 0;  ///< Connections that the nodes share. 0: each has its own.
  double seconds = 0;
  double speed = 1;
  double task_seconds = 0;
  double publish_seconds = 0;
  std::size_t batch_bytes = 0;
  std::uint64_t batch_rows = 0;

  int connections() const { return pool > 0 ? pool : nodes; }
  /// Calls that the nodes would make if the store answered at once.
  double wanted_calls_per_second() const;
  /// Leases during one repetition, and those before it begins to measure.
  std::uint64_t wanted_leases() const;
};

/// How long calls of one kind took, from when the node wanted to make them until they were answered. The time
/// in which a call waits for a connection counts.
class CallTimes {
 public:
  void add(double ms) { ms_.push_back(ms); }
  std::size_t count() const { return ms_.size(); }
  double percentile_ms(double percent) const;
  void merge(const CallTimes& other) { ms_.insert(ms_.end(), other.ms_.begin(), other.ms_.end()); }

 private:
  std::vector<double> ms_;
};

struct Outcome {
  double seconds = 0;
  std::map<std::string, CallTimes> times{};  ///< By the name of the call.
  std::uint64_t failed = 0;

  double rate(const std::string& call) const;
  double calls_per_second() const;
};

/// Lets the nodes work on the campaign with `classes` classes. The times of the first seconds, in which nodes
/// enter and lease for the first time, are left out. `at_edge` is called when the measured time begins
/// (false) and ends (true). `uri` is the address of the store for nodes.
Outcome simulate(const Load& load, const std::string& uri, const std::string& campaign, std::uint64_t classes,
                 const std::function<void(bool)>& at_edge);

}  // namespace warptune::bench::fleet
