// The GPUs for which one configuration is chosen, each with what is stored of the kernel there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::tuner::querying {

/// What a configuration for several GPUs minimises: the largest of its losses, or their mean.
enum class LossOver { kWorst, kMean };

/// The word of an option and in output: `worst`, `mean`.
std::string_view to_string(LossOver over);

/// What `--portable` asks for.
struct PortableRequest {
  LossOver over = LossOver::kWorst;
  std::vector<std::string>
      gpus;  ///< As `gpus::wanted_gpu` takes them. Empty: all that the kernel has rows of.

  /// Reads the value of `--portable` (empty, `worst` or `mean`) and those of `--gpu`. Throws
  /// `base::InputError` for another value, for a single GPU, and for `all` beside other GPUs.
  static PortableRequest parse(const std::string& over, const std::vector<std::string>& gpus);
};

/// One of the GPUs, with the stored workload that is nearest to the asked problem.
struct PortablePlace {
  kernel_templates::KernelInstance instance;  ///< The asked problem on this GPU.
  std::optional<db::Winner> winner{};         ///< The workload's winner. Without it, nothing fits.
  double distance = 0.0;                      ///< As `db::Match::distance`; 0 without a winner.
};

/// The GPUs that a request means. `known` are those of the database. `winners` are those of the kernel's
/// present version: without names, the GPUs are those of winners with this cache state. Throws
/// `base::InputError` as `gpus::wanted_gpu` does, and if two names mean the same GPU.
std::vector<model::GpuDescription> portable_gpus(const PortableRequest& request,
                                                 const std::vector<model::GpuDescription>& known,
                                                 const std::vector<db::Winner>& winners,
                                                 model::CacheState cache);

/// The places of a problem on these GPUs. With `strict`, only a workload of exactly the same problem counts.
/// Throws `base::InputError` as `KernelInstance` does.
std::vector<PortablePlace> portable_places(const kernel_templates::KernelDefinition& definition,
                                           const model::NamedValues& problem,
                                           const std::vector<model::GpuDescription>& gpus,
                                           const std::vector<db::Winner>& winners, model::CacheState cache,
                                           bool strict);

}  // namespace warptune::tuner::querying
