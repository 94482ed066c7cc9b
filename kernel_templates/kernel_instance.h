#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/launch_plan.h"
#include "search/gpu_description.h"
#include "search/measurement.h"
#include "search/space.h"

namespace warptune::kernel_templates {

namespace detail {
class ProgramTexts;
}

/// Where a buffer lies.
enum class Memory {
  kDevice,
  kPinned,   ///< The host's, page-locked: GPUs read and write it, and copies need no help of the host.
  kPageable  ///< The host's, as `malloc` gives it.
};

/// A tensor map of one configuration: numbers known.
struct ResolvedTensorMap {
  std::size_t buffer = 0;  ///< Its buffer's place among the arguments.
  bool encoded = false;    ///< Else 128 zero bytes.
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> pitch;  ///< Elements; one fewer than dimensions.
  std::vector<std::int64_t> box;
  std::int64_t swizzle_bytes = 0;

  bool operator==(const ResolvedTensorMap&) const = default;
};

/// A texture of one configuration: numbers known.
struct ResolvedTexture {
  std::size_t buffer = 0;   ///< Its buffer's place among the arguments.
  std::int64_t width = 0;   ///< Elements.
  std::int64_t height = 0;  ///< Rows; 0: one-dimensional.
  std::int64_t pitch = 0;   ///< Elements.
  bool linear = false;
  bool border = false;

  bool operator==(const ResolvedTexture&) const = default;
};

/// An argument of one problem: sizes known.
struct ResolvedArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kIn;
  DataType type = DataType::kF32;
  std::int64_t count = 0;  ///< Elements.
  search::Value scalar;    ///< Scalars.
  Initialiser init;
  search::NamedValues problem;  ///< What expressions of `init` name.
  bool zeroed = false;
  ResolvedTensorMap tensor_map;
  ResolvedTexture texture;
  std::string symbol;  ///< The variable that gets the contents; kernels are not passed the buffer then.
  Memory memory = Memory::kDevice;  ///< Of one configuration.

  bool is_buffer() const { return kernel_templates::is_buffer(kind); }
  std::int64_t bytes() const { return count * static_cast<std::int64_t>(info(type).size_bytes); }
};

struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

/// A kernel definition for one problem on one GPU: everything has a number.
class KernelInstance {
 public:
  /// `overrides` replace problem entries. A default that a given size or GPU makes invalid is dropped. Throws
  /// `base::InputError` on an unknown entry, a value of the wrong type or outside `[problem_values]`, a size
  /// whose buffers overflow 64 bits, an empty space, a default outside the space.
  KernelInstance(KernelDefinition definition, const search::NamedValues& overrides,
                 search::GpuDescription gpu);

  const KernelDefinition& definition() const { return definition_; }
  const search::NamedValues& problem() const { return problem_; }
  const search::GpuDescription& gpu() const { return gpu_; }
  const search::Space& space() const { return space_; }
  /// Constants of the space's constraints: problem and device attributes.
  const search::NamedValues& constants() const { return constants_; }
  const search::NamedValues& default_configuration() const { return definition_.default_configuration; }
  /// `written_share` is that of the argument buffers, each read or written once.
  search::Work work() const { return work_; }

  /// Sizes of all arguments for one configuration (scratch may depend on it). The reason when a size is not
  /// positive or overflows.
  search::Outcome<std::vector<ResolvedArgument>> arguments(const search::NamedValues& configuration) const;
  /// Bytes of all buffers but scratch.
  std::int64_t buffer_bytes() const;

  /// What to compile for a configuration; its source, read once, has the description blanked, and macros that
  /// it does not mention are left out. Never holds the reference entry: see `reference_request`.
  search::Outcome<CompileRequest> compile_request(const search::NamedValues& configuration) const;
  search::Outcome<LaunchPlan> launch_plan(const search::NamedValues& configuration) const;

  bool has_reference() const { return definition_.check.reference != ReferenceKind::kNone; }
  /// The program whose outputs are right (for an expression: generated source), and its launches. For an
  /// entry `WARPTUNE_REFERENCE` is defined.
  search::Outcome<CompileRequest> reference_request() const;
  search::Outcome<LaunchPlan> reference_plan() const;
  Tolerance tolerance(DataType type) const;
  /// Whether the definition says that results of a configuration may differ from launch to launch.
  bool may_deviate(const search::NamedValues& configuration) const;

  /// Checks threads a block, grid sizes and dynamic shared memory against the GPU's limits: the reason when
  /// it cannot run.
  search::Outcome<LaunchPlan> screened_plan(const search::NamedValues& configuration) const;

 private:
  double written_share() const;
  search::NamedValues scope(const search::NamedValues& configuration) const;
  search::Outcome<CompileRequest> request_of(const std::filesystem::path& source,
                                             const std::vector<std::string>& entries,
                                             const search::NamedValues& configuration,
                                             bool is_reference = false) const;

  KernelDefinition definition_;
  search::GpuDescription gpu_;
  search::NamedValues problem_;
  search::NamedValues constants_;
  search::Space space_;
  search::Work work_;
  std::vector<std::string> toolkit_;                   ///< CUDA's include folders.
  std::shared_ptr<const detail::ProgramTexts> texts_;  ///< Shared by copies; read when first asked for.
};

}  // namespace warptune::kernel_templates
