// How a compile pool borrows workers from the pool of warm workers, and gives them back.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "kernel_templates/compile_cache.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/warm/lease.h"

namespace warptune::tuner::workers::compiling {

// The recommendations, in the definition or in a file beside it, do not enter: no program depends on them.
std::string identity_of(const kernel_templates::KernelDefinition& definition) {
  return fmt::format("{} {}", definition.hash, std::filesystem::absolute(definition.path).string());
}

// A worker of the pool of warm workers, or nothing.
std::optional<processes::LentProcess> CompilePool::borrow(const Task& task,
                                                          const confinement::Sandbox& sandbox) {
  // If a file has changed since `submit`, the worker would be kept for others than it has compiled.
  if (keep_warm_.count() == 0 || sandbox.runs_programs() || task.included.empty() ||
      task.failed_in_borrowed || kernel_templates::included_files_now(task.request) != task.included)
    return std::nullopt;
  if (!lease_) lease_ = warm::Lease::open(keep_warm_);
  return lease_->borrow(definition_ + "\n" + task.included, sandbox);
}

// Gives a borrowed worker back if it is idle. A message of it that is not read would be the next session's.
// The worker may have precompiled its headers before or after a file changed, so then it is not given back.
void CompilePool::give_back(Worker& worker) {
  if (!worker.process.is_lent() || worker.task || !worker.process.problem().empty() ||
      !worker.process.channel().drain() || !worker.process.channel().can_be_resumed() ||
      kernel_templates::included_files_now(*worker.first) != worker.included)
    return;
  lease_->give_back(worker.process.let_go());
}

// A borrowed worker did not compile its program. The cause may be an earlier program, the end of the pool, or
// what has changed since the worker was started. So a worker of this session compiles the program again, and
// what happens there is the outcome.
void CompilePool::compile_again(Worker& worker) {
  worker.task->failed_in_borrowed = true;
  waiting_.push_front(std::move(*std::exchange(worker.task, std::nullopt)));
}

}  // namespace warptune::tuner::workers::compiling
