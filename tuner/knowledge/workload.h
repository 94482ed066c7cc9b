#pragma once

#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"

namespace warptune::tuner::knowledge {

/// Whether both are the same kernel source, problem, GPU model and cache state.
bool is_same_workload(const model::Workload& a, const model::Workload& b);

/// What is measured when the instance is, from that state of the cache.
model::Workload workload_of(const kernel_templates::KernelInstance& instance, model::CacheState cache);

/// Fills in what the definition says of a recording, which has no rows yet.
void describe_workload(model::Recording& recording, const kernel_templates::KernelInstance& instance,
                       model::CacheState cache);

/// `sgemm M=64 on NVIDIA H200, timed from a cold L2 cache`; other tuners' files may name no kernel and no
/// GPU, and do not say how the cache was.
std::string heading_of(const model::Recording& recording);

}  // namespace warptune::tuner::knowledge
