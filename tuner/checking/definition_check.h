#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "tuner/checking/host_check.h"

namespace warptune::tuner::checking {

/// What to check. No GPU is needed.
struct CheckRequest {
  kernel_templates::KernelDefinition definition;
  model::NamedValues sizes;                 ///< Replace entries of the problem.
  std::vector<model::GpuDescription> gpus;  ///< The check is done for each; at least one.
  std::optional<std::uint64_t> sample = 3;  ///< Configurations to draw at random; no value: all.
  std::uint64_t seed = 1;
  std::size_t jobs = 1;                    ///< Compile workers.
  std::chrono::seconds deadline{120};      ///< For one compile.
  std::filesystem::path compile_cache;     ///< Empty: no cache.
  bool trusted = false;                    ///< The definition's code may be run on the host.
  std::chrono::seconds host_deadline{60};  ///< To compile and run one program on the host.
};

/// Why a program is compiled.
enum class Role { kReference, kDefault, kRecommended, kSample };

/// The name of a role in output: `reference`, `default`, `recommended`, `sample`.
std::string_view to_string(Role role);
/// What a program with this role is, for messages: "the default configuration".
const char* described(Role role);

/// A program, and what its compiled code shows about its main launch.
struct CheckedProgram {
  Role role = Role::kSample;
  model::NamedValues configuration;           ///< Empty for a reference.
  std::optional<model::Rejection> rejection;  ///< Why it cannot be compiled or launched.
  std::vector<std::string> entries;           ///< The kernels that are launched.
  std::string entry;                          ///< The kernel of the main launch.
  model::ResourceUse resources;
  std::int64_t spill_bytes = 0;
  double occupancy = 0.0;               ///< Computed; resident warps over the maximum of an SM.
  std::vector<std::string> limited_by;  ///< What limits the occupancy, in words.
  double compile_ms = 0.0;
  bool from_cache = false;
};

/// What was checked for one GPU.
struct CheckedGpu {
  model::GpuDescription gpu;
  double configurations = 0.0;  ///< The size of the space; an estimate if it is too large to count.
  std::vector<CheckedProgram> programs;
};

struct CheckReport {
  std::string kernel;
  model::NamedValues problem;
  std::vector<CheckedGpu> gpus;
  kernel_templates::inspection::Findings findings;  ///< In the order of the definition's lines.
  HostCheck host;                                   ///< Its findings are also in `findings`.
  std::vector<std::string> warnings;                ///< What the machine lacks, such as a writable cache.

  std::size_t errors() const;
  std::size_t finding_warnings() const { return findings.size() - errors(); }
};

/// Checks the text of a definition and of its sources, its launches, and the programs that are compiled from
/// it. Throws `base::InputError` if the definition cannot be used at all, for example if its space is empty.
/// Throws `base::WorkError` if it is cancelled.
CheckReport check_definition(const CheckRequest& request, const base::Cancellation& cancellation = {});

}  // namespace warptune::tuner::checking
