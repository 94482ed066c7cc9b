// Each node is a small state machine with the time of its next call. Threads take the node whose call is due
// first, make the call, and put the node back. With a pool, each thread has one connection, so that a node
// whose call is due waits until a connection is free. Without a pool, each node has its connection, and there
// are more threads than calls can be answered at once.
#include "bench/fleet/node_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <thread>
#include <utility>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "fleet/task_record.h"
#include "model/gpu_description.h"

namespace warptune::bench::fleet {

namespace {

using namespace warptune::fleet;
using Clock = std::chrono::steady_clock;

constexpr double kHeartbeatSeconds = kHeartbeatMs / 1000.0;
constexpr int kThreadsWithoutPool = 64;
constexpr double kWarmUpSeconds = 3;

struct SimulatedNode {
  std::string id;
  std::unique_ptr<FleetStore> own_store{};  // Without a pool.
  bool knows_classes = false;               // It asks for the classes before each lease.
  std::optional<Lease> lease{};
  std::uint64_t batches = 0;
  Clock::time_point heartbeat{};
  Clock::time_point publish{};
  Clock::time_point end{};  // When the task ends, or the node asks for one.

  Clock::time_point due() const { return lease ? std::min({heartbeat, publish, end}) : end; }
};

class Simulation {
 public:
  Simulation(const Load& load, const std::string& uri, const std::string& campaign, std::uint64_t classes)
      : load_(load), uri_(uri), bytes_(load.batch_bytes, '\0'), begin_(Clock::now()) {
    for (char& byte : bytes_) byte = static_cast<char>(random_());
    for (std::uint64_t i = 0; i < classes; ++i) classes_.push_back({campaign, i});
    for (int i = 0; i < load.nodes; ++i) nodes_.push_back({fmt::format("{:032x}", i)});
  }

  Outcome run(const std::function<void(bool)>& at_edge);

 private:
  Clock::duration wait(double seconds) const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds / load_.speed));
  }
  Clock::time_point next_after(Clock::time_point due, double seconds) const {
    return std::max(due + wait(seconds), Clock::now());
  }
  double fraction(std::minstd_rand& random) const { return std::uniform_real_distribution<double>()(random); }
  int threads() const { return load_.pool > 0 ? load_.pool : kThreadsWithoutPool; }

  void enter_nodes();
  void work(int thread, std::map<std::string, CallTimes>& times);
  std::string act(SimulatedNode& node, FleetStore& store, std::minstd_rand& random);
  std::string begin_task(SimulatedNode& node, FleetStore& store, std::minstd_rand& random);

  struct Later {
    bool operator()(const SimulatedNode* a, const SimulatedNode* b) const { return a->due() > b->due(); }
  };

  const Load& load_;
  std::string uri_;
  std::minstd_rand random_{7};
  std::string bytes_;
  std::vector<ClassKey> classes_;
  std::vector<SimulatedNode> nodes_;
  std::vector<std::unique_ptr<FleetStore>> stores_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<SimulatedNode*, std::vector<SimulatedNode*>, Later> queue_;
  Clock::time_point begin_;
  Clock::time_point end_{};
  std::uint64_t failed_ = 0;
};

void Simulation::enter_nodes() {
  for (int i = 0; i < std::max(1, load_.pool); ++i)
    stores_.push_back(postgresql::open_postgresql_store(uri_, Access::kNode));
  std::vector<std::thread> entering;
  const std::size_t parts = 8;
  for (std::size_t part = 0; part < parts; ++part)
    entering.emplace_back([&, part] {
      const auto store = postgresql::open_postgresql_store(uri_, Access::kNode);
      for (std::size_t i = part; i < nodes_.size(); i += parts) {
        store->enter_node({nodes_[i].id, "simulated", "1.0.0", {{model::fictional_gpu(), {}}}});
        if (load_.pool == 0) nodes_[i].own_store = postgresql::open_postgresql_store(uri_, Access::kNode);
      }
    });
  for (std::thread& thread : entering) thread.join();
}

std::string Simulation::begin_task(SimulatedNode& node, FleetStore& store, std::minstd_rand& random) {
  if (!std::exchange(node.knows_classes, true)) {
    store.open_classes();
    node.end = Clock::now();
    return "open_classes";
  }
  node.knows_classes = false;
  node.lease = store.lease(node.id, classes_);
  node.batches = 0;
  node.end = Clock::now() + wait(load_.task_seconds * (0.5 + fraction(random)));
  return node.lease ? "lease" : "lease without a task";
}

// Makes the call that is due, and sets the time of the next one of its kind.
std::string Simulation::act(SimulatedNode& node, FleetStore& store, std::minstd_rand& random) {
  const Clock::time_point due = node.due();
  if (!node.lease) return begin_task(node, store, random);
  if (due == node.heartbeat) {
    store.heartbeat(node.id, {node.lease->key});
    node.heartbeat = next_after(due, kHeartbeatSeconds);
    return "heartbeat";
  }
  if (due == node.publish) {
    store.publish({node.lease->key, node.id, node.batches++}, bytes_);
    node.publish = next_after(due, load_.publish_seconds);
    return "publish";
  }
  store.finish(node.id, node.lease->key, {});
  node.lease.reset();
  node.end = Clock::now();  // It asks for the next task at once.
  return "finish";
}

void Simulation::work(int thread, std::map<std::string, CallTimes>& times) {
  std::minstd_rand random(static_cast<unsigned>(thread + 1));
  while (true) {
    SimulatedNode* node = nullptr;
    {
      std::unique_lock lock(mutex_);
      while (Clock::now() < end_) {
        const auto due = queue_.empty() ? end_ : std::min(end_, queue_.top()->due());
        if (!queue_.empty() && due <= Clock::now()) break;
        changed_.wait_until(lock, due);
      }
      if (Clock::now() >= end_) return;
      node = queue_.top();
      queue_.pop();
    }
    const Clock::time_point due = node->due();
    FleetStore& store = node->own_store ? *node->own_store : *stores_[static_cast<std::size_t>(thread)];
    bool has_failed = false;
    std::string call;
    try {
      call = act(*node, store, random);
    } catch (const base::Error&) {
      has_failed = true;
      node->end = node->publish = node->heartbeat = Clock::now() + wait(kHeartbeatSeconds);
    }
    const Clock::time_point now = Clock::now();
    if (!has_failed && now > begin_)
      times[call].add(std::chrono::duration<double, std::milli>(now - due).count());
    const std::lock_guard lock(mutex_);
    if (has_failed) ++failed_;
    queue_.push(node);
    changed_.notify_one();
  }
}

Outcome Simulation::run(const std::function<void(bool)>& at_edge) {
  enter_nodes();
  // Nodes lease for the first time at random moments of the first seconds.
  const Clock::time_point start = Clock::now();
  for (SimulatedNode& node : nodes_) {
    node.end = start + wait(load_.task_seconds * fraction(random_));
    node.heartbeat = node.end + wait(kHeartbeatSeconds * fraction(random_));
    node.publish = node.end + wait(load_.publish_seconds * fraction(random_));
    queue_.push(&node);
  }
  begin_ = start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kWarmUpSeconds)) +
           wait(load_.task_seconds);
  end_ = begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(load_.seconds));
  std::vector<std::map<std::string, CallTimes>> times(static_cast<std::size_t>(threads()));
  std::vector<std::thread> workers;
  for (int i = 0; i < threads(); ++i)
    workers.emplace_back([&, i] { work(i, times[static_cast<std::size_t>(i)]); });
  std::this_thread::sleep_until(begin_);
  at_edge(false);
  std::this_thread::sleep_until(end_);
  at_edge(true);
  for (std::thread& worker : workers) worker.join();
  Outcome outcome{load_.seconds, {}, failed_};
  for (const auto& of_thread : times)
    for (const auto& [call, part] : of_thread) outcome.times[call].merge(part);
  return outcome;
}

}  // namespace

double Load::wanted_calls_per_second() const {
  return nodes * speed * (3.0 / task_seconds + 1.0 / publish_seconds + 1.0 / kHeartbeatSeconds);
}

std::uint64_t Load::wanted_leases() const {
  const double total = seconds + kWarmUpSeconds + task_seconds / speed;
  return static_cast<std::uint64_t>(nodes * (1.2 * speed * total / task_seconds + 2));
}

double CallTimes::percentile_ms(double percent) const {
  if (ms_.empty()) return 0;
  std::vector<double> sorted = ms_;
  const auto index =
      static_cast<std::size_t>(std::ceil(percent / 100.0 * static_cast<double>(sorted.size()))) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(index), sorted.end());
  return sorted[index];
}

double Outcome::rate(const std::string& call) const {
  const auto found = times.find(call);
  return found == times.end() ? 0 : static_cast<double>(found->second.count()) / seconds;
}

double Outcome::calls_per_second() const {
  double sum = 0;
  for (const auto& [call, of_call] : times) sum += static_cast<double>(of_call.count()) / seconds;
  return sum;
}

Outcome simulate(const Load& load, const std::string& uri, const std::string& campaign, std::uint64_t classes,
                 const std::function<void(bool)>& at_edge) {
  return Simulation(load, uri, campaign, classes).run(at_edge);
}

}  // namespace warptune::bench::fleet
