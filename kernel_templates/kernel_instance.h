#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/buffer_memory.h"
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

/// A tensor map of one configuration: all expressions are evaluated.
struct ResolvedTensorMap {
  std::size_t buffer = 0;  ///< The index of its buffer among the arguments.
  bool encoded = false;    ///< If false, the kernel gets 128 zero bytes.
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> pitch;  ///< In elements; one number fewer than dimensions.
  std::vector<std::int64_t> box;
  std::int64_t swizzle_bytes = 0;

  bool operator==(const ResolvedTensorMap&) const = default;
};

/// A texture of one configuration: all expressions are evaluated.
struct ResolvedTexture {
  std::size_t buffer = 0;   ///< The index of its buffer among the arguments.
  std::int64_t width = 0;   ///< Elements.
  std::int64_t height = 0;  ///< The number of rows; 0 if the texture has one dimension.
  std::int64_t pitch = 0;   ///< Elements.
  bool linear = false;
  bool border = false;

  bool operator==(const ResolvedTexture&) const = default;
};

/// An argument of one problem: all sizes are evaluated.
struct ResolvedArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kIn;
  DataType type = DataType::kF32;
  std::int64_t count = 0;  ///< Elements, without the padding of rows.
  std::int64_t width = 0;  ///< Elements of a row; 0 if the definition gives no width.
  std::int64_t pitch = 0;  ///< Elements from row to row; the width if the rows are packed.
  model::Value scalar;     ///< Scalars.
  Initialiser init;
  model::NamedValues problem;  ///< The problem, for the expressions of `init`.
  bool zeroed = false;
  ResolvedTensorMap tensor_map;
  ResolvedTexture texture;
  /// The variable that gets the contents. If it is not empty, the buffer is not passed to kernels.
  std::string symbol;
  Memory memory = Memory::kDevice;  ///< The memory that one configuration uses.
  ManagedPages pages;               ///< Only for managed memory.

  bool is_buffer() const { return kernel_templates::is_buffer(kind); }
  /// The size of the elements, without the padding of rows.
  std::int64_t bytes() const { return count * element_bytes(); }
  bool is_padded() const { return pitch > width; }
  std::int64_t rows() const { return count / width; }  ///< Only with a width.
  /// The elements of the memory that a kernel gets. They include the padding after each row.
  std::int64_t placed_count() const { return is_padded() ? rows() * pitch : count; }
  std::int64_t placed_bytes() const { return placed_count() * element_bytes(); }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(info(type).size_bytes); }
};

struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

/// A kernel definition for one problem on one GPU. Sizes, launches and the space of configurations can be
/// computed.
class KernelInstance {
 public:
  /// `overrides` replace entries of the problem. If a given size or the GPU makes the default configuration
  /// invalid, there is no default. Throws `base::InputError` in these cases:
  /// * An entry is unknown, or its value has the wrong type or is not among `[problem_values]`.
  /// * The sizes of the buffers overflow 64 bits.
  /// * The space is empty, or the definition's default is not in it.
  KernelInstance(KernelDefinition definition, const model::NamedValues& overrides, model::GpuDescription gpu);

  const KernelDefinition& definition() const { return definition_; }
  const model::NamedValues& problem() const { return problem_; }
  const model::GpuDescription& gpu() const { return gpu_; }
  const model::Space& space() const { return space_; }
  /// The constants that constraints may use: the problem and the device's attributes.
  const model::NamedValues& constants() const { return constants_; }
  /// Empty if the definition has none, or if it is not in the space.
  const model::NamedValues& default_configuration() const { return definition_.default_configuration; }
  /// The default as the definition has it, also if it is not in the space of this problem and GPU.
  const model::NamedValues& declared_default() const { return declared_default_; }
  /// What the definition recommends for this problem and GPU (`[[recommended]]`): the first one that holds,
  /// that the space contains and that can be launched. Empty if there is none.
  model::NamedValues recommended_configuration() const;
  /// Whether the same recommendation holds for another problem on another GPU, or none for both.
  bool is_recommended_alike(const model::NamedValues& problem, const model::GpuDescription& gpu) const;
  /// Whether the same conditions of recommendations hold for another problem on another GPU. So both are of
  /// the same kind, for example with rows of the same alignment. The recommended configurations may differ.
  bool is_of_same_kind(const model::NamedValues& problem, const model::GpuDescription& gpu) const;
  /// The work of one evaluation. Its `written_share` assumes that each argument buffer is read or written
  /// once.
  model::Work work() const { return work_; }

  /// The arguments of one configuration with their sizes (scratch buffers may depend on the configuration).
  /// Rejects a size that is not positive or overflows.
  model::Outcome<std::vector<ResolvedArgument>> arguments(const model::NamedValues& configuration) const;
  /// The arguments of the reference. A reference that is an entry gets those of the default, whose macros it
  /// has, with all buffers in the GPU's memory. One that is an expression also gets packed rows.
  model::Outcome<std::vector<ResolvedArgument>> reference_arguments() const;
  /// The size in bytes of all buffers except scratch buffers, without the padding of rows.
  std::int64_t buffer_bytes() const;

  /// The program to compile for a configuration. Its source is read once, and the description in it is
  /// blanked. Macros that the source does not use are left out. The reference's entry is never included; see
  /// `reference_request`.
  model::Outcome<CompileRequest> compile_request(const model::NamedValues& configuration) const;
  model::Outcome<LaunchPlan> launch_plan(const model::NamedValues& configuration) const;

  bool has_reference() const { return definition_.check.reference != ReferenceKind::kNone; }
  /// Whether the right outputs are in files, of the definition or of a program.
  bool has_expected_files() const {
    return definition_.check.reference == ReferenceKind::kFile ||
           definition_.check.reference == ReferenceKind::kGiven;
  }
  /// Whether a program computes the right outputs. Otherwise they are known, or there are none.
  bool compiles_reference() const {
    return has_reference() && !has_expected_files() && definition_.check.reference != ReferenceKind::kJudged;
  }
  /// The program that computes the correct outputs, and its launches. For a check by expression the source is
  /// generated. For a reference entry, the macro `WARPTUNE_REFERENCE` is defined.
  model::Outcome<CompileRequest> reference_request() const;
  model::Outcome<LaunchPlan> reference_plan() const;
  Tolerance tolerance(DataType type) const;
  /// Whether the results of a configuration may differ from launch to launch, according to the definition.
  bool is_nondeterministic(const model::NamedValues& configuration) const;

  /// The launch plan, if the GPU's limits of threads per block, grid size and dynamic shared memory allow it.
  /// Rejects it with the reason otherwise.
  model::Outcome<LaunchPlan> screened_plan(const model::NamedValues& configuration) const;

 private:
  void require_possible(const model::NamedValues& overrides) const;
  std::optional<double> written_share() const;
  model::NamedValues scope(const model::NamedValues& configuration) const;
  model::Outcome<CompileRequest> request_of(const std::filesystem::path& source,
                                            const std::vector<std::string>& entries,
                                            const model::NamedValues& configuration,
                                            bool is_reference = false) const;

  KernelDefinition definition_;
  model::NamedValues declared_default_;
  model::GpuDescription gpu_;
  model::NamedValues problem_;
  model::NamedValues constants_;
  model::Space space_;
  model::Work work_;
  std::vector<std::string> toolkit_;                      ///< The include folders of CUDA.
  std::shared_ptr<const compiling::ProgramTexts> texts_;  ///< Shared by copies; read on first use.
};

}  // namespace warptune::kernel_templates
