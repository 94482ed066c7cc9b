#include "tuner/detail/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/error.h"
#include "tuner/detail/json_forms.h"
#include "tuner/detail/worker_errors.h"

namespace warptune::tuner::detail {

using search::Rejection;
using search::Status;

void CompilePool::submit(std::uint64_t id, kernel_templates::CompileRequest request) {
  waiting_.push_back({id, std::move(request)});
  hand_out();
}

std::size_t CompilePool::pending() const {
  const auto busy = std::count_if(workers_.begin(), workers_.end(),
                                  [](const Worker& worker) { return worker.task.has_value(); });
  return waiting_.size() + static_cast<std::size_t>(busy);
}

std::vector<int> CompilePool::descriptors() const {
  std::vector<int> descriptors;
  for (const Worker& worker : workers_)
    descriptors.push_back(const_cast<Worker&>(worker).process.channel().descriptor());
  return descriptors;
}

bool CompilePool::give(Worker& worker, Task task) {
  worker.task = task.id;
  worker.started = std::chrono::steady_clock::now();
  return worker.process.channel().send(
      {{"type", "compile"}, {"id", task.id}, {"request", to_json(task.request)}});
}

void CompilePool::hand_out() {
  const auto new_worker = [&] {
    return WorkerProcess("compile", fmt::format("compile {}", workers_.size()));
  };
  for (Worker& worker : workers_) {
    if (waiting_.empty()) return;
    if (worker.task) continue;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    if (!give(worker, task)) {  // It ended between tasks: its task is not to blame.
      worker.process = new_worker();
      give(worker, std::move(task));
    }
  }
  while (!waiting_.empty() && workers_.size() < most_workers_) {
    workers_.push_back({new_worker(), std::nullopt, {}});
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    give(workers_.back(), std::move(task));
  }
}

std::optional<CompileResult> CompilePool::result_of(Worker& worker) {
  MessageChannel& channel = worker.process.channel();
  const bool open = channel.drain();
  if (const std::optional<nlohmann::json> message = channel.next()) {
    if (!worker.task) return std::nullopt;
    const std::uint64_t id = *worker.task;
    worker.task.reset();
    throw_if_error(*message);
    if (message->at("type") == "compiled") return CompileResult{id, compiled_of(message->at("compiled"))};
    const Status status =
        search::parse_status(message->at("status").get<std::string>()).value_or(Status::kCompileFailed);
    return CompileResult{id, base::failure(Rejection{status, message->at("reason").get<std::string>()})};
  }
  const bool late = worker.task && std::chrono::steady_clock::now() - worker.started > deadline_;
  if (open && !late) return std::nullopt;
  const std::string how = worker.process.end();
  worker.process = WorkerProcess("compile", "compile");
  if (!worker.task) return std::nullopt;
  const std::uint64_t id = *worker.task;
  worker.task.reset();
  const Rejection rejection =
      late ? Rejection{Status::kTimedOut, fmt::format("compiling took more than {} s", deadline_.count())}
           : Rejection{Status::kWorkerDied, fmt::format("the compile worker ended: {}", how)};
  return CompileResult{id, base::failure(rejection)};
}

std::vector<CompileResult> CompilePool::collect() {
  std::vector<CompileResult> results;
  for (Worker& worker : workers_) {
    if (std::optional<CompileResult> result = result_of(worker)) results.push_back(std::move(*result));
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
