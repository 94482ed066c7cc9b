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
  std::vector<model::GpuDescription> gpus;  ///< Compiled and computed for each of them; at least one.
  std::optional<std::uint64_t> sample = 3;  ///< Configurations to draw; no value means all.
  std::uint64_t seed = 1;
  std::size_t jobs = 1;                    ///< Compile workers.
  std::chrono::seconds deadline{120};      ///< For one compile.
  std::filesystem::path compile_cache;     ///< Empty: none.
  bool trusted = false;                    ///< The definition's code may be run on the host.
  std::chrono::seconds host_deadline{60};  ///< For one program on the host, with its compile.
};

/// Why a program is compiled.
enum class Role { kReference, kDefault, kSample };

/// The name of a role in output: `reference`, `default`, `sample`.
std::string_view to_string(Role role);

/// A program and what compiling it says about its main launch.
struct CheckedProgram {
  Role role = Role::kSample;
  model::NamedValues configuration;           ///< Empty for a reference of its own.
  std::optional<model::Rejection> rejection;  ///< Why it cannot be compiled or launched.
  std::vector<std::string> entries;           ///< What the compiler was asked for.
  std::string entry;                          ///< That of the main launch.
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
  HostCheck host;                                   ///< Its findings are among those above.
  std::vector<std::string> warnings;  ///< What the machine lacks, such as a cache that can be written.

  std::size_t errors() const;
  std::size_t finding_warnings() const { return findings.size() - errors(); }
};

/// Checks a definition: its texts, its launches, and its programs as the compiler sees them. Throws
/// `base::InputError` for what keeps a definition from being used at all, such as an empty space. Throws
/// `base::WorkError` if it is cancelled.
CheckReport check_definition(const CheckRequest& request, const base::Cancellation& cancellation = {});

}  // namespace warptune::tuner::checking
