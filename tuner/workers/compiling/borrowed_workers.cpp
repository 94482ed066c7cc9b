// How a compile pool borrows workers from the pool of warm workers, and gives them back.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "kernel_templates/compile_cache.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/warm/lease.h"

namespace warptune::tuner::workers::compiling {

std::string identity_of(const kernel_templates::KernelDefinition& definition) {
  return fmt::format("{} {}", definition.hash, std::filesystem::absolute(definition.path).string());
}

// A worker of the pool of warm workers, or nothing.
std::optional<processes::LentProcess> CompilePool::borrow(const Task& task,
                                                          const confinement::Sandbox& sandbox) {
  if (keep_warm_.count() == 0 || sandbox.runs_programs() || task.included.empty() || task.failed_in_borrowed)
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

}  // namespace warptune::tuner::workers::compiling
