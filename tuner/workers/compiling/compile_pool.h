#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/warm/lease.h"

namespace warptune::tuner::workers::compiling {

/// The identity of a definition for `CompilePool`: its path and its hash. Definitions with equal identities
/// have the same text and the same author.
std::string identity_of(const kernel_templates::KernelDefinition& definition);

struct CompileResult {
  std::uint64_t id = 0;
  model::Outcome<kernel_templates::CompiledKernel> outcome;
};

/// Compile workers. They are started as work arrives, and each compiles one program at a time.
///
/// A worker is replaced when it dies, passes the deadline, needs too much memory or sends a message that was
/// not asked for. The outcome of its program is then the reason. If equal programs are submitted at the same
/// time, one of them is compiled, and all get its outcome.
///
/// Workers run in a sandbox (`confinement::Sandbox`). It lets them read the folders of the program for which
/// they were started. A program with other folders gets another worker. Only the coordinator reads and writes
/// the cache.
class CompilePool {
 public:
  /// Programs are looked up in the folder `cache` and stored there (`kernel_templates::CompileCache`). With
  /// an empty path there is no cache. There is a warning if the folder cannot be written, or if the operating
  /// system cannot confine workers. A worker may take `memory_bytes`; 0: `compile_memory_limit(workers)`.
  ///
  /// `definition` is the identity of the definition to which all programs belong (`identity_of`). If it is
  /// given and the user wants warm workers (`warm::kept_time`), workers are borrowed from the pool of those.
  /// Throws `base::InputError` if that wish cannot be read.
  CompilePool(std::size_t workers, std::chrono::seconds deadline, const std::filesystem::path& cache = {},
              std::uint64_t memory_bytes = 0, std::string definition = {});

  /// Ends the workers at once, even while they compile. Borrowed ones that are idle are given back.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// Queues a program. Its result carries `id`.
  void submit(std::uint64_t id, kernel_templates::CompileRequest request);
  /// Programs that wait or are being compiled. Equal ones are counted separately.
  std::size_t pending() const;
  std::size_t workers() const { return max_workers_; }
  /// Whether `collect` has results for which no descriptor becomes readable.
  bool has_results() const { return !found_.empty(); }
  /// Descriptors that become readable when something happens.
  std::vector<int> descriptors() const;
  /// Results since the last call, without waiting. Gives waiting programs to free workers.
  std::vector<CompileResult> collect();
  /// Forgets programs that no worker has begun to compile.
  void drop_waiting();
  /// Compiles programs and waits for all of them. The outcomes are in the order of the requests. Results of
  /// programs that were dropped before are discarded. Throws `base::WorkError` if it is cancelled: the pool
  /// cannot be used afterwards.
  std::vector<model::Outcome<kernel_templates::CompiledKernel>> compile_all(
      std::vector<kernel_templates::CompileRequest> requests, const base::Cancellation& cancellation = {});
  /// Warnings for people since the last call, such as the reason why compiled programs are not cached.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  struct Task {
    std::string text_hash;
    std::string key;  ///< The key in the cache. Empty: the outcome is not stored.
    kernel_templates::CompileRequest request;
    std::vector<std::filesystem::path> readable;
    std::string included{};           ///< The hash of the included files, if workers are borrowed.
    bool failed_in_borrowed = false;  ///< Only a worker of this pool compiles it.
  };
  struct Worker {
    processes::WorkerProcess process;
    std::vector<std::filesystem::path> readable;  ///< Folders that the worker may read.
    bool runs_nvcc = false;    ///< The sandbox admits nvcc, and the worker gets only programs for nvcc.
    std::optional<Task> task;  ///< The task that it compiles.
    std::chrono::steady_clock::time_point started;
    std::string included{};  ///< Only programs that include the same files go to a borrowed worker.
    std::optional<kernel_templates::CompileRequest> first{};  ///< The first program of a borrowed worker.
  };
  using Outcome = model::Outcome<kernel_templates::CompiledKernel>;

  void hand_out();
  std::optional<processes::LentProcess> borrow(const Task& task, const confinement::Sandbox& sandbox);
  void give_back(Worker& worker);
  void compile_again(Worker& worker);
  Worker new_worker(const Task& task);
  bool give(Worker& worker, Task task);
  void keep(const Task& task, const Outcome& outcome);
  std::optional<Outcome> answer_of(Worker& worker);
  std::optional<Outcome> outcome_of(Worker& worker);
  void add_results(const std::string& text_hash, const Outcome& outcome, std::vector<CompileResult>& results);

  std::size_t max_workers_;
  std::chrono::seconds deadline_;
  std::uint64_t memory_bytes_;
  std::string definition_;
  std::chrono::seconds keep_warm_{0};
  std::unique_ptr<warm::Lease> lease_;  ///< Opened when the first worker is needed.
  confinement::ScratchFolder scratch_;
  std::optional<kernel_templates::CompileCache> cache_;
  std::deque<Task> waiting_;
  /// Outcomes from the cache, with the hash of the program's text.
  std::vector<std::pair<std::string, Outcome>> found_;
  /// The ids of each program that waits or is being compiled, by the hash of its text.
  std::map<std::string, std::vector<std::uint64_t>> ids_;
  std::vector<Worker> workers_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers::compiling
