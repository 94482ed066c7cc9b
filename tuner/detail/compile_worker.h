#pragma once

#include <cstdint>
#include <optional>

#include "kernel_templates/compile_cache.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::detail {

/// What a compile worker holds between messages.
class CompileWorker {
 public:
  /// `Compiled` or `Rejected`: from its cache, or by compiling, within its memory.
  protocol::Message answer(const protocol::Compile& message);

 private:
  search::Outcome<kernel_templates::CompiledKernel> compile(const kernel_templates::CompileRequest& request);

  std::uint64_t memory_bytes_ = 0;
  std::optional<kernel_templates::CompileCache> cache_;
};

}  // namespace warptune::tuner::detail
