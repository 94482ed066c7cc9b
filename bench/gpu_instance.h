#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::bench {

/// A kernel instance for the first GPU of the machine. `kernel` is a shipped name or a path, and `size_texts`
/// has the form `NAME=INTEGER`. Throws `base::InputError` for a wrong argument, and `base::MachineError`
/// without a GPU.
inline kernel_templates::KernelInstance instance_on_gpu(const std::string& kernel,
                                                        const std::vector<std::string>& size_texts) {
  const profiling::GpuList list = tuner::gpus::list_local_gpus();
  if (list.gpus.empty())
    throw base::MachineError("no GPU: " + list.reason, "run this on a machine with a GPU");
  model::NamedValues sizes;
  for (const std::string& text : size_texts) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) throw base::InputError("--size " + text + ": expected NAME=INTEGER");
    sizes.emplace_back(text.substr(0, at), std::int64_t{std::atoll(text.c_str() + at + 1)});
  }
  return {kernel_templates::load_kernel(kernel), sizes, list.gpus.front()};
}

}  // namespace warptune::bench
