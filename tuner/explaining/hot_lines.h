#pragma once

#include "kernel_templates/kernel_instance.h"
#include "profiling/hot_lines.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::explaining {

struct HotLineOptions {
  int ordinal = 0;  ///< Which GPU.
  profiling::MeasuringOptions measuring;
};

/// Where the launches of a configuration spend their time, by source line, the lines' text with them:
/// compiled with line numbers and sampled by a worker of its own. Where that cannot be (no permission, a GPU
/// or driver without it, a program that does not compile or run, a worker that dies), `problem` says why, and
/// there are no lines.
profiling::HotLines sample_hot_lines(const kernel_templates::KernelInstance& instance,
                                     const model::NamedValues& configuration, const HotLineOptions& options);

}  // namespace warptune::tuner::explaining
