#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "tuner/detail/worker_process.h"

namespace warptune::tuner::detail {

struct CompileResult {
  std::uint64_t id = 0;
  search::Outcome<kernel_templates::CompiledKernel> outcome;
};

/// Compile workers, started as work arrives, one program each at a time. One that dies or passes the deadline
/// is replaced and its program ends with the reason.
class CompilePool {
 public:
  CompilePool(std::size_t workers, std::chrono::seconds deadline)
      : most_workers_(workers), deadline_(deadline) {}

  void submit(std::uint64_t id, kernel_templates::CompileRequest request);
  /// Programs that wait or are being compiled.
  std::size_t pending() const;
  std::size_t workers() const { return most_workers_; }
  /// Descriptors that become readable when something happens.
  std::vector<int> descriptors() const;
  /// Results since the last call, without waiting; hands out what waits.
  std::vector<CompileResult> collect();
  /// Forgets what has not been handed out.
  void drop_waiting() { waiting_.clear(); }
  /// Compiles programs and waits for all of them; outcomes in their order. Results of programs dropped before
  /// are thrown away.
  std::vector<search::Outcome<kernel_templates::CompiledKernel>> compile_all(
      std::vector<kernel_templates::CompileRequest> requests);

 private:
  struct Task {
    std::uint64_t id;
    kernel_templates::CompileRequest request;
  };
  struct Worker {
    WorkerProcess process;
    std::optional<std::uint64_t> task;
    std::chrono::steady_clock::time_point started;
  };

  void hand_out();
  bool give(Worker& worker, Task task);
  std::optional<CompileResult> result_of(Worker& worker);

  std::size_t most_workers_;
  std::chrono::seconds deadline_;
  std::deque<Task> waiting_;
  std::vector<Worker> workers_;
};

}  // namespace warptune::tuner::detail
