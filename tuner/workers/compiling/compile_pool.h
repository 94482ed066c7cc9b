#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/compile_cache.h"
#include "kernel_templates/compiler.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/workers/compiling/compile_limits.h"

namespace warptune::tuner::workers::compiling {

struct CompileResult {
  std::uint64_t id = 0;
  model::Outcome<kernel_templates::CompiledKernel> outcome;
};

/// Compile workers, started as work arrives, one program each at a time. One that dies, passes the deadline,
/// needs too much memory or sends what nobody asked for is replaced and its program ends with the reason. Of
/// equal programs under way at the same time one is compiled, and all get its outcome.
///
/// Workers run in a sandbox (`confinement::Sandbox`) that lets them read the folders of the program they are
/// started for; a program of other folders gets another worker. The cache is the coordinator's: no worker
/// reads or writes it.
class CompilePool {
 public:
  /// Programs are looked up in the folder `cache` and kept there (`kernel_templates::CompileCache`); an empty
  /// path: no cache. A folder that cannot be written is a warning, and so is a kernel that cannot confine
  /// workers. A worker may take `memory_bytes` (0: `compile_memory_limit(workers)`).
  CompilePool(std::size_t workers, std::chrono::seconds deadline, const std::filesystem::path& cache = {},
              std::uint64_t memory_bytes = 0);

  /// Ends the workers at once, whatever they are at.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  void submit(std::uint64_t id, kernel_templates::CompileRequest request);
  /// Programs that wait or are being compiled, equal ones each.
  std::size_t pending() const;
  std::size_t workers() const { return max_workers_; }
  /// Whether `collect` has results already, of which no descriptor tells.
  bool has_results() const { return !found_.empty(); }
  /// Descriptors that become readable when something happens.
  std::vector<int> descriptors() const;
  /// Results since the last call, without waiting; hands out what waits.
  std::vector<CompileResult> collect();
  /// Forgets what has not been handed out.
  void drop_waiting();
  /// Compiles programs and waits for all of them; outcomes in their order. Results of programs dropped before
  /// are thrown away.
  std::vector<model::Outcome<kernel_templates::CompiledKernel>> compile_all(
      std::vector<kernel_templates::CompileRequest> requests);
  /// Lines for people since the last call: why compiled programs are not kept.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  struct Task {
    std::string text_hash;
    std::string key;  ///< Of the cache; empty: not to be kept.
    kernel_templates::CompileRequest request;
    std::vector<std::filesystem::path> readable;
  };
  struct Worker {
    processes::WorkerProcess process;
    std::vector<std::filesystem::path> readable;  ///< Folders that it may read.
    std::optional<Task> task;                     ///< That it is at.
    std::chrono::steady_clock::time_point started;
  };
  using Outcome = model::Outcome<kernel_templates::CompiledKernel>;

  void hand_out();
  Worker new_worker(const Task& task);
  bool give(Worker& worker, Task task);
  void keep(const Task& task, const Outcome& outcome);
  std::optional<Outcome> answer_of(Worker& worker);
  std::optional<Outcome> outcome_of(Worker& worker);
  void add_results(const std::string& text_hash, const Outcome& outcome, std::vector<CompileResult>& results);

  std::size_t max_workers_;
  std::chrono::seconds deadline_;
  std::uint64_t memory_bytes_;
  confinement::ScratchFolder scratch_;
  std::optional<kernel_templates::CompileCache> cache_;
  std::deque<Task> waiting_;
  std::vector<std::pair<std::string, Outcome>> found_;     ///< In the cache, by the hash of the text.
  std::map<std::string, std::vector<std::uint64_t>> ids_;  ///< Of each program that waits or is compiled.
  std::vector<Worker> workers_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers::compiling
