// The function `warptune_launch` of warptune.h. Programs call it often, so it allocates nothing and takes no
// lock.
#include <array>
#include <span>

#include "kernel_templates/data_type.h"
#include "library/c_errors.h"
#include "library/include/warptune.h"
#include "library/loaded_code.h"
#include "profiling/resident_kernel.h"

namespace warptune::library {

namespace {

using profiling::GivenArgument;
using profiling::LaunchFault;
using profiling::LaunchOutcome;

// The values of WARPTUNE_F16, ... in warptune.h are those of `DataType`. `convert` relies on that.
static_assert(WARPTUNE_F16 == static_cast<int>(kernel_templates::DataType::kF16));
static_assert(WARPTUNE_F64 == static_cast<int>(kernel_templates::DataType::kF64));
static_assert(WARPTUNE_I8 == static_cast<int>(kernel_templates::DataType::kI8));
static_assert(WARPTUNE_I64 == static_cast<int>(kernel_templates::DataType::kI64));
static_assert(WARPTUNE_U8 == static_cast<int>(kernel_templates::DataType::kU8));
static_assert(WARPTUNE_U64 == static_cast<int>(kernel_templates::DataType::kU64));

// Not inlined, so that the code of `warptune_launch` stays small.
[[gnu::noinline]] warptune_status launch_failed(const profiling::ResidentKernel& code,
                                                const LaunchOutcome& outcome) noexcept {
  return guarded([&] {
    const bool by_driver = outcome.fault == LaunchFault::kDriver;
    return failed(by_driver ? WARPTUNE_ERROR_DRIVER : WARPTUNE_ERROR_LAUNCH, code.describe(outcome));
  });
}

[[gnu::noinline]] warptune_status no_objects() noexcept {
  return failed(WARPTUNE_ERROR_INPUT, "expected code and arguments, found null");
}

// Returns the index of the first argument whose kind is unknown, or the number of arguments.
std::size_t convert(std::span<const warptune_argument> arguments, GivenArgument* given) noexcept {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const warptune_argument& one = arguments[i];
    if (one.kind != WARPTUNE_BUFFER && one.kind != WARPTUNE_SCALAR) return i;
    const bool is_buffer = one.kind == WARPTUNE_BUFFER;
    given[i] = {is_buffer, static_cast<kernel_templates::DataType>(one.type), one.bytes,
                is_buffer ? reinterpret_cast<std::uint64_t>(one.data) : 0, is_buffer ? nullptr : one.data};
  }
  return arguments.size();
}

}  // namespace

}  // namespace warptune::library

warptune_status warptune_launch(const warptune_code* code, void* stream, const warptune_argument* arguments,
                                size_t count, void* workspace, uint64_t workspace_bytes) noexcept {
  using namespace warptune;           // NOLINT(google-build-using-namespace)
  using namespace warptune::library;  // NOLINT(google-build-using-namespace)
  if (code == nullptr || (arguments == nullptr && count > 0)) return no_objects();
  const profiling::ResidentKernel& resident = *reinterpret_cast<const LoadedCode*>(code)->current();
  if (count > profiling::kMaxLaunchArguments)
    return launch_failed(resident, {LaunchFault::kArgumentCount, 0, count});
  std::array<GivenArgument, profiling::kMaxLaunchArguments> given;  // NOLINT(*-member-init)
  if (const std::size_t unknown = convert({arguments, count}, given.data()); unknown < count)
    return launch_failed(resident, {LaunchFault::kArgumentKind, unknown, 0});
  const LaunchOutcome outcome = resident.launch(stream, {given.data(), count},
                                                reinterpret_cast<std::uint64_t>(workspace), workspace_bytes);
  return outcome.ok() ? WARPTUNE_OK : launch_failed(resident, outcome);
}
