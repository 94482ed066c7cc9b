#pragma once

#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"

namespace warptune::tuner::knowledge {

/// Whether both have the same kernel source, problem, GPU model and cache state.
bool is_same_workload(const model::Workload& a, const model::Workload& b);

/// The workload that is measured with the instance and this state of the cache.
model::Workload workload_of(const kernel_templates::KernelInstance& instance, model::CacheState cache);

/// `warptune tune KERNEL --size NAME=VALUE ... --cache STATE`, as one line for a POSIX shell. The kernel is
/// what a person named it by. What `tune` would choose by itself is left out: a cold cache, and sizes that
/// `problem` lacks. No command measures with an unknown cache, so that is left out, too.
std::string tune_command(const std::string& kernel, const model::NamedValues& problem,
                         model::CacheState cache);

/// Writes what the definition says into a recording that has no rows yet.
void describe_workload(model::Recording& recording, const kernel_templates::KernelInstance& instance,
                       model::CacheState cache);

/// The best source of the rows (`model::best_source`). Without rows it is `kMeasured`.
model::RowSource source_of(const model::Recording& recording);

/// `sgemm M=64 on NVIDIA H200, timed from a cold L2 cache`. Files of other tuners may lack the kernel's and
/// the GPU's name.
std::string heading_of(const model::Recording& recording);

}  // namespace warptune::tuner::knowledge
