#include "tuner/detail/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "kernel_templates/compile_cache.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::detail {

using search::Rejection;
using search::Status;

namespace {

// Equal for requests that are one program as long as no file changes.
std::string text_hash_of(const kernel_templates::CompileRequest& request) {
  return base::hash_hex(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", request.architecture, request.program_name,
                                    fmt::join(request.entries, "\n"), fmt::join(request.variables, "\n"),
                                    fmt::join(request.libraries, "\n"), fmt::join(request.options, "\n"),
                                    request.source));
}

}  // namespace

CompilePool::CompilePool(std::size_t workers, std::chrono::seconds deadline, std::filesystem::path cache,
                         std::uint64_t memory_bytes)
    : max_workers_(workers),
      deadline_(deadline),
      cache_(std::move(cache)),
      memory_bytes_(memory_bytes != 0 ? memory_bytes : compile_memory_limit(workers)) {
  if (cache_.empty()) return;
  cache_ = std::filesystem::absolute(cache_);
  const std::string problem = kernel_templates::CompileCache(cache_).problem();
  if (!problem.empty()) warnings_.push_back("compiled programs are not kept: " + problem);
}

CompilePool::~CompilePool() {
  for (Worker& worker : workers_) worker.process.kill();
}

void CompilePool::submit(std::uint64_t id, kernel_templates::CompileRequest request) {
  std::string hash = text_hash_of(request);
  std::vector<std::uint64_t>& ids = ids_[hash];
  ids.push_back(id);
  if (ids.size() == 1) waiting_.push_back({std::move(hash), std::move(request)});
  hand_out();
}

std::size_t CompilePool::pending() const {
  std::size_t pending = 0;
  for (const auto& [hash, ids] : ids_) pending += ids.size();
  return pending;
}

void CompilePool::drop_waiting() {
  for (const Task& task : waiting_) ids_.erase(task.text_hash);
  waiting_.clear();
  for (auto& [hash, ids] : ids_) ids.resize(1);  // The others came after the one that was handed out.
}

std::vector<int> CompilePool::descriptors() const {
  std::vector<int> descriptors;
  for (const Worker& worker : workers_)
    descriptors.push_back(const_cast<Worker&>(worker).process.channel().descriptor());
  return descriptors;
}

bool CompilePool::give(Worker& worker, const Task& task) {
  worker.text_hash = task.text_hash;
  worker.started = std::chrono::steady_clock::now();
  return worker.process.channel().send(protocol::Compile{task.request, cache_, memory_bytes_});
}

void CompilePool::hand_out() {
  const auto new_worker = [&] {
    return WorkerProcess("compile", fmt::format("compile {}", workers_.size()));
  };
  for (Worker& worker : workers_) {
    if (waiting_.empty()) return;
    if (worker.text_hash) continue;
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    if (!give(worker, task)) {  // It ended between tasks: its task is not to blame.
      worker.process = new_worker();
      give(worker, task);
    }
  }
  while (!waiting_.empty() && workers_.size() < max_workers_) {
    workers_.push_back({new_worker(), std::nullopt, {}});
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    give(workers_.back(), task);
  }
}

std::optional<search::Outcome<kernel_templates::CompiledKernel>> CompilePool::outcome_of(Worker& worker) {
  protocol::MessageChannel& channel = worker.process.channel();
  const bool open = channel.drain();
  if (std::optional<protocol::Message> message = channel.next()) {
    if (!worker.text_hash) return std::nullopt;
    if (auto* compiled = std::get_if<protocol::Compiled>(&*message)) return std::move(compiled->compiled);
    if (auto* rejected = std::get_if<protocol::Rejected>(&*message))
      return base::failure(std::move(rejected->rejection));
    if (const auto* failure = std::get_if<protocol::Failure>(&*message)) protocol::throw_failure(*failure);
    throw base::InternalError("a compile worker sent what nobody asked for");
  }
  const bool late = worker.text_hash && std::chrono::steady_clock::now() - worker.started > deadline_;
  if (open && channel.problem().empty() && !late) return std::nullopt;
  const std::string how = worker.process.end();
  // The optimiser and the assembler end the process when an allocation fails.
  const bool was_full = memory_bytes_ != 0 && worker.process.peak_bytes() >= memory_bytes_ / 4 * 3;
  worker.process = WorkerProcess("compile", "compile");
  if (!worker.text_hash) return std::nullopt;
  if (late) {
    return base::failure(
        Rejection{Status::kTimedOut, fmt::format("compiling took more than {} s", deadline_.count())});
  }
  if (was_full) return base::failure(kernel_templates::out_of_memory(memory_bytes_));
  return base::failure(Rejection{Status::kWorkerDied, fmt::format("the compile worker ended: {}", how)});
}

std::vector<CompileResult> CompilePool::collect() {
  std::vector<CompileResult> results;
  for (Worker& worker : workers_) {
    const auto outcome = outcome_of(worker);
    if (!outcome) continue;
    const auto done = ids_.find(*worker.text_hash);
    worker.text_hash.reset();
    for (const std::uint64_t id : done->second) results.push_back({id, *outcome});
    ids_.erase(done);
  }
  hand_out();
  return results;
}

std::vector<search::Outcome<kernel_templates::CompiledKernel>> CompilePool::compile_all(
    std::vector<kernel_templates::CompileRequest> requests) {
  if (!waiting_.empty()) throw base::InternalError("compile_all needs a pool where nothing waits");
  // Numbers that no candidate has, so that a late result of a dropped one is not taken for ours.
  constexpr std::uint64_t kFirst = 1ULL << 62;
  std::vector<std::optional<search::Outcome<kernel_templates::CompiledKernel>>> outcomes(requests.size());
  std::size_t left = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) submit(kFirst + i, std::move(requests[i]));
  while (left > 0) {
    std::vector<pollfd> polled;
    for (const int descriptor : descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), 100);
    for (CompileResult& result : collect()) {
      if (result.id < kFirst) continue;
      outcomes[result.id - kFirst] = std::move(result.outcome);
      --left;
    }
  }
  std::vector<search::Outcome<kernel_templates::CompiledKernel>> all;
  all.reserve(outcomes.size());
  for (auto& outcome : outcomes) all.push_back(std::move(*outcome));
  return all;
}

}  // namespace warptune::tuner::detail
