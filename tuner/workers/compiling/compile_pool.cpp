// Compiles programs in worker processes, because one process compiles only about 75 programs a second however
// many threads it has (docs/design.md). A program takes these steps. `submit` looks for an equal program that
// waits or is being compiled, by the hash of its text, and adds the id there. Otherwise it looks in the
// cache. If the cache lacks the program, the program waits until `hand_out` finds a free worker that may read
// its folders. `collect` reads the answers, stores them in the cache and returns one result for each id.
//
// The compilers run on sources of untrusted authors and may hang, crash or be taken over. So every worker is
// confined, has limits of time and memory, and can harm only the answer to its own program. The coordinator
// checks the key again before it stores an outcome, so that a file that changed meanwhile never leads to a
// wrong entry.
#include "tuner/workers/compiling/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::compiling {

using model::Rejection;
using model::Status;

namespace {

// The hash is equal for requests of the same program, as long as no file changes.
std::string text_hash_of(const kernel_templates::CompileRequest& request) {
  return base::hash_hex(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", request.compiler, request.architecture,
                                    request.program_name, fmt::join(request.entries, "\n"),
                                    fmt::join(request.variables, "\n"), fmt::join(request.libraries, "\n"),
                                    fmt::join(request.options, "\n"), request.source));
}

// Whether an outcome fits the request. Every entry that is looked up in it later must exist.
bool answers(const kernel_templates::CompileRequest& request,
             const kernel_templates::CompiledKernel& compiled) {
  const auto has = [](const auto& all, const auto& is_it) {
    return std::any_of(all.begin(), all.end(), is_it);
  };
  for (const std::string& entry : request.entries) {
    if (!has(compiled.entries, [&](const auto& code) { return code.entry == entry; })) return false;
  }
  for (const std::string& variable : request.variables) {
    if (!has(compiled.variables, [&](const auto& code) { return code.variable == variable; })) return false;
  }
  return true;
}

}  // namespace

CompilePool::CompilePool(std::size_t workers, std::chrono::seconds deadline,
                         const std::filesystem::path& cache, std::uint64_t memory_bytes,
                         std::string definition)
    : max_workers_(workers),
      deadline_(deadline),
      memory_bytes_(memory_bytes != 0 ? memory_bytes : compile_memory_limit(workers)),
      definition_(std::move(definition)) {
  if (!definition_.empty()) keep_warm_ = warm::kept_time();
  if (std::string problem = confinement::sandbox_problem(); !problem.empty())
    warnings_.push_back(std::move(problem));
  if (cache.empty()) return;
  cache_.emplace(std::filesystem::absolute(cache));
  const std::string problem = cache_->problem();
  if (!problem.empty()) warnings_.push_back("compiled programs are not stored in the cache: " + problem);
}

CompilePool::~CompilePool() {
  for (Worker& worker : workers_) give_back(worker);
  for (Worker& worker : workers_) worker.process.kill();
}

void CompilePool::submit(std::uint64_t id, kernel_templates::CompileRequest request) {
  std::string hash = text_hash_of(request);
  std::vector<std::uint64_t>& ids = ids_[hash];
  ids.push_back(id);
  if (ids.size() == 1) {
    std::string key = cache_ ? kernel_templates::compile_key(request) : "";
    std::optional<Outcome> found = cache_ ? cache_->find(key) : std::nullopt;
    if (found && (!*found || answers(request, **found))) {
      found_.emplace_back(std::move(hash), std::move(*found));
    } else {
      std::vector<std::filesystem::path> readable = kernel_templates::folders_read_by(request);
      std::string included;
      if (keep_warm_.count() != 0) included = kernel_templates::included_files_now(request);
      waiting_.push_back(
          {std::move(hash), std::move(key), std::move(request), std::move(readable), std::move(included)});
    }
  }
  hand_out();
}

std::size_t CompilePool::pending() const {
  std::size_t pending = 0;
  for (const auto& [hash, ids] : ids_) pending += ids.size();
  return pending;
}

void CompilePool::drop_waiting() {
  for (const Task& task : waiting_) ids_.erase(task.text_hash);
  for (const auto& [hash, outcome] : found_) ids_.erase(hash);
  waiting_.clear();
  found_.clear();
  for (auto& [hash, ids] : ids_) ids.resize(1);  // The worker compiles for the first id.
}

std::vector<int> CompilePool::descriptors() const {
  std::vector<int> descriptors;
  for (const Worker& worker : workers_)
    descriptors.push_back(const_cast<Worker&>(worker).process.channel().descriptor());
  return descriptors;
}

CompilePool::Worker CompilePool::new_worker(const Task& task) {
  const bool runs_nvcc = task.request.compiler == kernel_templates::kNvcc;
  const confinement::Sandbox sandbox{task.readable, scratch_.path(), memory_bytes_, runs_nvcc};
  if (auto lent = borrow(task, sandbox)) {
    processes::WorkerProcess process(std::move(*lent));
    if (memory_bytes_ == 0 || process.limit_memory(memory_bytes_))
      return {std::move(process), task.readable, false, std::nullopt, {}, task.included, task.request};
  }
  return {processes::WorkerProcess(fmt::format("compile {}", workers_.size()), sandbox),
          task.readable,
          runs_nvcc,
          std::nullopt,
          {}};
}

bool CompilePool::give(Worker& worker, Task task) {
  worker.task = std::move(task);
  worker.started = std::chrono::steady_clock::now();
  // The coordinator enforces the deadline. This limit of CPU time also holds if the coordinator does not run.
  worker.process.allow_cpu(4 * deadline_);
  return worker.process.channel().send(protocol::Compile{worker.task->request});
}

void CompilePool::hand_out() {
  const auto next = [&] {
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    return task;
  };
  for (Worker& worker : workers_) {
    if (waiting_.empty()) return;
    if (worker.task) continue;
    Task task = next();
    const bool runs_nvcc = task.request.compiler == kernel_templates::kNvcc;
    const bool may_read =
        runs_nvcc == worker.runs_nvcc && std::includes(worker.readable.begin(), worker.readable.end(),
                                                       task.readable.begin(), task.readable.end());
    const bool is_fit =
        !worker.process.is_lent() || (worker.included == task.included && !task.failed_in_borrowed);
    if (may_read && is_fit && give(worker, task)) continue;
    // The folders or the included files differ, or the worker ended between two tasks, for which no task is
    // to blame.
    give_back(worker);
    worker = new_worker(task);
    give(worker, std::move(task));
  }
  while (!waiting_.empty() && workers_.size() < max_workers_) {
    Task task = next();
    workers_.push_back(new_worker(task));
    give(workers_.back(), std::move(task));
  }
}

// What a worker reports about its task. Returns std::nullopt while it has not answered. Throws what ends the
// session.
std::optional<CompilePool::Outcome> CompilePool::answer_of(Worker& worker) {
  std::optional<protocol::Message> message = worker.process.channel().next();
  if (!message) return std::nullopt;
  if (!worker.task) {
    worker.process.distrust("an answer without a request");
  } else if (auto* compiled = std::get_if<protocol::Compiled>(&*message)) {
    if (answers(worker.task->request, compiled->compiled)) return std::move(compiled->compiled);
    worker.process.distrust("a program without the entries that were asked for");
  } else if (auto* rejected = std::get_if<protocol::Rejected>(&*message)) {
    if (worker.process.is_lent() && rejected->rejection.cause == model::RejectionCause::kOutOfMemory) {
      worker.process.distrust("a lack of memory, which earlier programs may have caused");
      return std::nullopt;
    }
    return base::failure(std::move(rejected->rejection));
  } else if (const auto* failure = std::get_if<protocol::Failure>(&*message)) {
    if (!worker.process.is_lent()) protocol::throw_failure(*failure);
    worker.process.distrust("a failure");
  } else {
    worker.process.distrust("a message that is not an answer");
  }
  return std::nullopt;
}

std::optional<CompilePool::Outcome> CompilePool::outcome_of(Worker& worker) {
  const bool open = worker.process.channel().drain();
  if (std::optional<Outcome> answer = answer_of(worker)) {
    // A borrowed worker may be unable to read what a new one can read. It stays, but its errors do not count.
    if (*answer || !worker.process.is_lent()) return answer;
    compile_again(worker);
    return std::nullopt;
  }
  const bool late = worker.task && std::chrono::steady_clock::now() - worker.started > deadline_;
  if (open && worker.process.problem().empty() && !late) return std::nullopt;
  if (worker.process.is_lent() && worker.task) {
    worker.process.end();
    compile_again(worker);
    return std::nullopt;
  }
  const std::string how = worker.process.end();
  // The compiler's optimiser and assembler end the process if an allocation fails. So only the peak memory
  // shows this cause.
  const bool was_full = memory_bytes_ != 0 && worker.process.peak_bytes() >= memory_bytes_ / 4 * 3;
  if (!worker.task) return std::nullopt;
  if (late) {
    return base::failure(
        Rejection{Status::kTimedOut, fmt::format("compiling took more than {} s", deadline_.count())});
  }
  if (was_full) return base::failure(kernel_templates::out_of_memory(memory_bytes_));
  return base::failure(Rejection{
      Status::kWorkerDied,
      processes::with_printed(fmt::format("the compile worker ended: {}", how), worker.process.printed())});
}

// Stores an outcome in the cache. If an included file changed meanwhile, nobody knows which version was
// compiled, and nothing is stored.
void CompilePool::keep(const Task& task, const Outcome& outcome) {
  if (cache_ && !task.key.empty() && kernel_templates::compile_key_now(task.request) == task.key)
    cache_->store(task.key, outcome);
}

void CompilePool::add_results(const std::string& text_hash, const Outcome& outcome,
                              std::vector<CompileResult>& results) {
  const auto done = ids_.find(text_hash);
  for (const std::uint64_t id : done->second) results.push_back({id, outcome});
  ids_.erase(done);
}

std::vector<CompileResult> CompilePool::collect() {
  std::vector<CompileResult> results;
  for (const auto& [hash, outcome] : std::exchange(found_, {})) add_results(hash, outcome, results);
  for (Worker& worker : workers_) {
    const std::optional<Outcome> outcome = outcome_of(worker);
    if (!outcome) continue;
    const Task task = std::move(*std::exchange(worker.task, std::nullopt));
    keep(task, *outcome);
    add_results(task.text_hash, *outcome, results);
  }
  std::erase_if(workers_, [](const Worker& worker) { return worker.process.has_ended(); });
  hand_out();
  return results;
}

std::vector<model::Outcome<kernel_templates::CompiledKernel>> CompilePool::compile_all(
    std::vector<kernel_templates::CompileRequest> requests, const base::Cancellation& cancellation) {
  if (!waiting_.empty()) throw base::InternalError("compile_all needs a pool where nothing waits");
  // No candidate has these numbers. So a late result of a dropped candidate is not mistaken for one of these
  // requests.
  constexpr std::uint64_t kFirst = 1ULL << 62;
  std::vector<std::optional<model::Outcome<kernel_templates::CompiledKernel>>> outcomes(requests.size());
  std::size_t left = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    cancellation.throw_if_cancelled();
    submit(kFirst + i, std::move(requests[i]));
  }
  while (left > 0) {
    cancellation.throw_if_cancelled();
    std::vector<pollfd> polled;
    for (const int descriptor : descriptors()) polled.push_back({descriptor, POLLIN, 0});
    ::poll(polled.data(), polled.size(), has_results() ? 0 : 100);
    for (CompileResult& result : collect()) {
      if (result.id < kFirst) continue;
      outcomes[result.id - kFirst] = std::move(result.outcome);
      --left;
    }
  }
  std::vector<model::Outcome<kernel_templates::CompiledKernel>> all;
  all.reserve(outcomes.size());
  for (auto& outcome : outcomes) all.push_back(std::move(*outcome));
  return all;
}

}  // namespace warptune::tuner::workers::compiling
