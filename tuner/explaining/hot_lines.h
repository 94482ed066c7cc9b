#pragma once

#include "kernel_templates/kernel_instance.h"
#include "profiling/hot_lines.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::explaining {

struct HotLineOptions {
  int ordinal = 0;  ///< The CUDA number of the GPU.
  profiling::MeasuringOptions measuring;
};

/// Finds the hot lines of a configuration: the source lines at which its launches spend their time, with
/// text. It compiles the configuration with line numbers, and a separate worker process samples it on the
/// GPU.
///
/// If sampling fails, `problem` says why, and there are no lines. Reasons are a missing permission, a GPU or
/// driver without sampling, a program that does not compile or run, and a worker that dies.
profiling::HotLines sample_hot_lines(const kernel_templates::KernelInstance& instance,
                                     const model::NamedValues& configuration, const HotLineOptions& options);

}  // namespace warptune::tuner::explaining
