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

#include "kernel_templates/compiler.h"
#include "tuner/detail/compile_limits.h"
#include "tuner/detail/worker_process.h"

namespace warptune::tuner::detail {

struct CompileResult {
  std::uint64_t id = 0;
  search::Outcome<kernel_templates::CompiledKernel> outcome;
};

/// Compile workers, started as work arrives, one program each at a time. One that dies, passes the deadline
/// or needs too much memory is replaced and its program ends with the reason. Of equal programs under way at
/// the same time one is compiled, and all get its outcome.
class CompilePool {
 public:
  /// Workers look programs up in the folder `cache` and keep them there (`kernel_templates::CompileCache`);
  /// an empty path: no cache. A folder that cannot be written is a warning. A worker may take `memory_bytes`
  /// (0: `compile_memory_limit(workers)`).
  CompilePool(std::size_t workers, std::chrono::seconds deadline, std::filesystem::path cache = {},
              std::uint64_t memory_bytes = 0);

  /// Ends the workers at once, whatever they are at.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  void submit(std::uint64_t id, kernel_templates::CompileRequest request);
  /// Programs that wait or are being compiled, equal ones each.
  std::size_t pending() const;
  std::size_t workers() const { return max_workers_; }
  /// Descriptors that become readable when something happens.
  std::vector<int> descriptors() const;
  /// Results since the last call, without waiting; hands out what waits.
  std::vector<CompileResult> collect();
  /// Forgets what has not been handed out.
  void drop_waiting();
  /// Compiles programs and waits for all of them; outcomes in their order. Results of programs dropped before
  /// are thrown away.
  std::vector<search::Outcome<kernel_templates::CompiledKernel>> compile_all(
      std::vector<kernel_templates::CompileRequest> requests);
  /// Lines for people since the last call: why compiled programs are not kept.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  struct Task {
    std::string text_hash;
    kernel_templates::CompileRequest request;
  };
  struct Worker {
    WorkerProcess process;
    std::optional<std::string> text_hash;  ///< Of the task it is at.
    std::chrono::steady_clock::time_point started;
  };

  void hand_out();
  bool give(Worker& worker, const Task& task);
  std::optional<search::Outcome<kernel_templates::CompiledKernel>> outcome_of(Worker& worker);

  std::size_t max_workers_;
  std::chrono::seconds deadline_;
  std::filesystem::path cache_;
  std::uint64_t memory_bytes_;
  std::deque<Task> waiting_;
  std::map<std::string, std::vector<std::uint64_t>> ids_;  ///< Of each program that waits or is compiled.
  std::vector<Worker> workers_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::detail
