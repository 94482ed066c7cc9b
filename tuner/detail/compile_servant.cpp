#include "tuner/detail/compile_servant.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "kernel_templates/compiler.h"
#include "tuner/detail/json_forms.h"

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

search::Outcome<kernel_templates::CompiledKernel> CompileServant::compile(
    const kernel_templates::CompileRequest& request) {
  try {
    return kernel_templates::compile(request);
  } catch (const std::bad_alloc&) {
    return base::failure(kernel_templates::out_of_memory(memory_bytes_));
  }
}

nlohmann::json CompileServant::reply(const nlohmann::json& message) {
  const auto memory_bytes = message.value("memory_bytes", std::uint64_t{0});
  if (memory_bytes != memory_bytes_) limit_memory(memory_bytes_ = memory_bytes);
  const std::filesystem::path folder = message.value("cache", std::string());
  if (folder.empty()) {
    cache_.reset();
  } else if (!cache_ || cache_->folder() != folder) {
    cache_.emplace(folder);
  }
  const kernel_templates::CompileRequest request = compile_request_of(message.at("request"));
  const std::string key = cache_ ? kernel_templates::compile_key(request) : "";
  std::optional<search::Outcome<kernel_templates::CompiledKernel>> outcome;
  if (cache_) outcome = cache_->find(key);
  if (!outcome) {
    outcome = compile(request);
    // An included file that changed meanwhile: nobody knows which of its versions was compiled.
    if (cache_ && kernel_templates::compile_key_now(request) == key) cache_->store(key, *outcome);
  }
  nlohmann::json reply = *outcome ? nlohmann::json{{"type", "compiled"}, {"compiled", to_json(**outcome)}}
                                  : nlohmann::json{{"type", "rejected"},
                                                   {"status", search::to_string(outcome->error().status)},
                                                   {"reason", outcome->error().reason}};
  reply["id"] = message.at("id");
  return reply;
}

}  // namespace warptune::tuner::detail
