#pragma once

#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"

namespace warptune::tuner::knowledge {

/// Whether both have the same kernel source, problem, GPU model and cache state.
bool is_same_workload(const model::Workload& a, const model::Workload& b);

/// The workload that is measured with the instance and this state of the cache.
model::Workload workload_of(const kernel_templates::KernelInstance& instance, model::CacheState cache);

/// Writes what the definition says into a recording that has no rows yet.
void describe_workload(model::Recording& recording, const kernel_templates::KernelInstance& instance,
                       model::CacheState cache);

/// The best source of the rows (`model::best_source`). Without rows it is `kMeasured`.
model::RowSource source_of(const model::Recording& recording);

/// `sgemm M=64 on NVIDIA H200, timed from a cold L2 cache`. Files of other tuners may lack the kernel's and
/// the GPU's name.
std::string heading_of(const model::Recording& recording);

}  // namespace warptune::tuner::knowledge
