#include "tuner/detail/compile_worker.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "kernel_templates/compiler.h"

// The sanitizers' own memory would count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WARPTUNE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WARPTUNE_SANITIZED 1
#endif
#endif

namespace warptune::tuner::detail {

namespace {

// A compile that needs gigabytes shall fail, and when the machine is short nevertheless, the kernel shall end
// this process and no other.
void limit_memory([[maybe_unused]] std::uint64_t bytes) {
#ifndef WARPTUNE_SANITIZED
  rlimit limit{};
  if (bytes == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max) return;
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

}  // namespace

search::Outcome<kernel_templates::CompiledKernel> CompileWorker::compile(
    const kernel_templates::CompileRequest& request) {
  try {
    return kernel_templates::compile(request);
  } catch (const std::bad_alloc&) {
    return base::failure(kernel_templates::out_of_memory(memory_bytes_));
  }
}

protocol::Message CompileWorker::answer(const protocol::Compile& message) {
  if (message.memory_bytes != memory_bytes_) limit_memory(memory_bytes_ = message.memory_bytes);
  if (message.compile_cache.empty()) {
    cache_.reset();
  } else if (!cache_ || cache_->folder() != message.compile_cache) {
    cache_.emplace(message.compile_cache);
  }
  const std::string key = cache_ ? kernel_templates::compile_key(message.request) : "";
  std::optional<search::Outcome<kernel_templates::CompiledKernel>> outcome;
  if (cache_) outcome = cache_->find(key);
  if (!outcome) {
    outcome = compile(message.request);
    // An included file that changed meanwhile: nobody knows which of its versions was compiled.
    if (cache_ && kernel_templates::compile_key_now(message.request) == key) cache_->store(key, *outcome);
  }
  if (*outcome) return protocol::Compiled{std::move(**outcome)};
  return protocol::Rejected{std::move(outcome->error())};
}

}  // namespace warptune::tuner::detail
