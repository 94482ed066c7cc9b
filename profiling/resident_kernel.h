// The code of a configuration that stays loaded in a program. The program launches it with its own buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/launch_plan.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/resident_context.h"

namespace warptune::profiling {

/// An argument that the caller of a launch passes, in the order of the definition. Scratch buffers are in the
/// workspace, and tensor maps are made from their buffers, so callers pass neither.
struct ExpectedArgument {
  std::string name;
  kernel_templates::ArgumentKind kind = kernel_templates::ArgumentKind::kIn;
  kernel_templates::DataType type = kernel_templates::DataType::kF32;
  std::uint64_t bytes = 0;      ///< The minimum size of a buffer; the size of a scalar.
  std::uint64_t alignment = 1;  ///< In bytes: a buffer's address must be a multiple of it.
  /// Whether the problem or a parameter determines the value of the scalar. Another value is refused.
  bool is_fixed = false;

  bool is_buffer() const { return kernel_templates::is_buffer(kind); }
};

/// The maximum number of a kernel's arguments.
inline constexpr std::size_t kMaxLaunchArguments = 64;

/// What a caller passes for an expected argument. Callers must set all members: there are no initial values,
/// so that making an array of these takes no time.
struct GivenArgument {
  bool is_buffer;
  kernel_templates::DataType type;
  std::uint64_t bytes;    ///< The size of the buffer.
  std::uint64_t address;  ///< The buffer's device address.
  const void* value;      ///< A scalar's value in the host's memory. Null: the definition's value.
};

enum class LaunchFault {
  kNone,
  kArgumentCount,
  kArgumentKind,
  kArgumentType,
  kBufferMissing,
  kBufferTooSmall,
  kBufferMisaligned,
  kScalarValue,
  kWorkspaceMissing,
  kWorkspaceTooSmall,
  kWorkspaceMisaligned,
  kStreamContext,
  kStreamChanged,
  kDriver,
};

/// How a launch ended. With any fault except `kDriver`, nothing was launched.
struct LaunchOutcome {
  LaunchFault fault = LaunchFault::kNone;
  std::size_t argument = 0;  ///< The index of the argument that is wrong.
  std::uint64_t found = 0;   ///< What was found: a count, a size, an address, or the driver's code.

  bool ok() const { return fault == LaunchFault::kNone; }
};

/// The alignment of a workspace in bytes, which `cuMemAlloc` gives to every buffer.
inline constexpr std::uint64_t kWorkspaceAlignment = 256;

/// Everything that `ResidentKernel::load` needs of one configuration.
struct ResidentCode {
  const kernel_templates::CompiledKernel& compiled;
  const kernel_templates::LaunchPlan& plan;
  const std::vector<kernel_templates::ResolvedArgument>& arguments;
  std::vector<bool> is_fixed;  ///< For each argument; see `ExpectedArgument::is_fixed`.
  /// Launches demand a workspace of at least this size, even if the configuration needs less. With it,
  /// several configurations can demand the same size.
  std::uint64_t workspace_bytes = 0;
};

/// The size of the workspace for the scratch buffers among the arguments.
std::uint64_t workspace_bytes_of(const std::vector<kernel_templates::ResolvedArgument>& arguments);

/// The loaded code of one configuration in one context. Launches of any number of threads are safe, and need
/// no lock and no allocation. A kernel with `__constant__` variables (arguments with `symbol`) is launched on
/// one stream only, by one thread at a time, because a launch writes the variables.
class ResidentKernel {
 public:
  /// Loads the code and screens its launches. Launches nothing. Rejects host programs, textures, buffers in
  /// the host's memory, and what the GPU cannot run. Throws `base::MachineError` if the driver refuses the
  /// code.
  static model::Outcome<std::unique_ptr<ResidentKernel>> load(const ResidentCode& code,
                                                              const model::GpuDescription& gpu,
                                                              std::shared_ptr<const ResidentContext> context);
  /// Unloads the code. No launch may be pending, and no graph may use it any more.
  ~ResidentKernel();
  ResidentKernel(const ResidentKernel&) = delete;
  ResidentKernel& operator=(const ResidentKernel&) = delete;

  const std::vector<ExpectedArgument>& expected() const;
  /// The size of the workspace in which all scratch buffers are. It may be 0.
  std::uint64_t workspace_bytes() const;

  /// Checks all arguments, then enqueues the kernels on a stream (`CUstream`), which may be captured into a
  /// graph. `workspace` is a device address. Launches that may run at the same time need different
  /// workspaces.
  LaunchOutcome launch(void* stream, std::span<const GivenArgument> given, std::uint64_t workspace,
                       std::uint64_t workspace_bytes) const noexcept;
  /// Explains a fault: what was expected, and what was found.
  std::string describe(const LaunchOutcome& outcome) const;

 private:
  struct State;
  explicit ResidentKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warptune::profiling
