#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernel_templates/compile_cache.h"

namespace warptune::tuner::detail {

/// What a compile worker holds between messages.
class CompileServant {
 public:
  /// Answers a message of `CompilePool`: from its cache, or by compiling, within its memory.
  nlohmann::json reply(const nlohmann::json& message);

 private:
  search::Outcome<kernel_templates::CompiledKernel> compile(const kernel_templates::CompileRequest& request);

  std::uint64_t memory_bytes_ = 0;
  std::optional<kernel_templates::CompileCache> cache_;
};

}  // namespace warptune::tuner::detail
