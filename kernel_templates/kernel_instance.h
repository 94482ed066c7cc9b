#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/launch_plan.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "model/space.h"

namespace warptune::kernel_templates::compiling {
class ProgramTexts;
}  // namespace warptune::kernel_templates::compiling

namespace warptune::kernel_templates {

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
  model::Value scalar;     ///< Scalars.
  Initialiser init;
  model::NamedValues problem;  ///< What expressions of `init` name.
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
  KernelInstance(KernelDefinition definition, const model::NamedValues& overrides, model::GpuDescription gpu);

  const KernelDefinition& definition() const { return definition_; }
  const model::NamedValues& problem() const { return problem_; }
  const model::GpuDescription& gpu() const { return gpu_; }
  const model::Space& space() const { return space_; }
  /// Constants of the space's constraints: problem and device attributes.
  const model::NamedValues& constants() const { return constants_; }
  const model::NamedValues& default_configuration() const { return definition_.default_configuration; }
  /// `written_share` is that of the argument buffers, each read or written once.
  model::Work work() const { return work_; }

  /// Sizes of all arguments for one configuration (scratch may depend on it). The reason when a size is not
  /// positive or overflows.
  model::Outcome<std::vector<ResolvedArgument>> arguments(const model::NamedValues& configuration) const;
  /// Bytes of all buffers but scratch.
  std::int64_t buffer_bytes() const;

  /// What to compile for a configuration; its source, read once, has the description blanked, and macros that
  /// it does not mention are left out. Never holds the reference entry: see `reference_request`.
  model::Outcome<CompileRequest> compile_request(const model::NamedValues& configuration) const;
  model::Outcome<LaunchPlan> launch_plan(const model::NamedValues& configuration) const;

  bool has_reference() const { return definition_.check.reference != ReferenceKind::kNone; }
  /// The program whose outputs are right (for an expression: generated source), and its launches. For an
  /// entry `WARPTUNE_REFERENCE` is defined.
  model::Outcome<CompileRequest> reference_request() const;
  model::Outcome<LaunchPlan> reference_plan() const;
  Tolerance tolerance(DataType type) const;
  /// Whether the definition says that results of a configuration may differ from launch to launch.
  bool may_deviate(const model::NamedValues& configuration) const;

  /// Checks threads a block, grid sizes and dynamic shared memory against the GPU's limits: the reason when
  /// it cannot run.
  model::Outcome<LaunchPlan> screened_plan(const model::NamedValues& configuration) const;

 private:
  std::optional<double> written_share() const;
  model::NamedValues scope(const model::NamedValues& configuration) const;
  model::Outcome<CompileRequest> request_of(const std::filesystem::path& source,
                                            const std::vector<std::string>& entries,
                                            const model::NamedValues& configuration,
                                            bool is_reference = false) const;

  KernelDefinition definition_;
  model::GpuDescription gpu_;
  model::NamedValues problem_;
  model::NamedValues constants_;
  model::Space space_;
  model::Work work_;
  std::vector<std::string> toolkit_;                      ///< CUDA's include folders.
  std::shared_ptr<const compiling::ProgramTexts> texts_;  ///< Shared by copies; read when first asked for.
};

}  // namespace warptune::kernel_templates
