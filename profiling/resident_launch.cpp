// Checks and enqueues the launches of a loaded configuration, and explains why a launch was refused.
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "profiling/program_memory.h"
#include "profiling/resident_state.h"

namespace warptune::profiling {

using driver::cuda;
using kernel_templates::ArgumentKind;

namespace {

// The values of one launch, on the stack of its thread.
struct Frame {
  std::array<CUdeviceptr, kMaxLaunchArguments> addresses;
  std::array<const void*, kMaxLaunchArguments> scalars;
  std::array<CUtensorMap, kMaxTensorMaps> maps;
  std::array<CUdeviceptr, kMaxParameters> moved;  // Addresses to which an offset was added.
};

bool is_special_stream(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

LaunchOutcome driver_outcome(CUresult code) {
  if (code == CUDA_SUCCESS) return {};
  return {LaunchFault::kDriver, 0, static_cast<std::uint64_t>(code)};
}

// The address of the value that a parameter gets.
void* place_of(const ResidentParameter& parameter, Frame& frame, std::size_t position) {
  using From = ResidentParameter::From;
  switch (parameter.from) {
    case From::kScalar:
      return const_cast<void*>(frame.scalars[parameter.index]);  // The driver only reads it.
    case From::kValue:
      return const_cast<std::byte*>(parameter.value.data());
    case From::kTensorMap:
      return &frame.maps[parameter.index];
    case From::kAddress:
      break;
  }
  if (parameter.offset == 0) return &frame.addresses[parameter.index];
  frame.moved[position] = frame.addresses[parameter.index] + parameter.offset;
  return &frame.moved[position];
}

CUresult enqueue(const ResidentStep& step, CUstream stream, Frame& frame) {
  std::array<void*, kMaxParameters> parameters;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (std::size_t i = 0; i < step.parameters.size(); ++i)
    parameters[i] = place_of(step.parameters[i], frame, i);
  CUlaunchConfig config = step.config->config;
  config.hStream = stream;
  return cuda().cuLaunchKernelEx(&config, step.function, parameters.data(), nullptr);
}

}  // namespace

LaunchOutcome ResidentKernel::State::check_argument(std::size_t index,
                                                    const GivenArgument& given) const noexcept {
  const ExpectedArgument& wanted = expected[index];
  if (given.is_buffer != wanted.is_buffer()) return {LaunchFault::kArgumentKind, index, 0};
  if (given.type != wanted.type)
    return {LaunchFault::kArgumentType, index, static_cast<std::uint64_t>(given.type)};
  if (!given.is_buffer) {
    const bool differs = wanted.is_fixed && given.value != nullptr &&
                         std::memcmp(given.value, usual_scalars[positions[index]].data(), wanted.bytes) != 0;
    return {differs ? LaunchFault::kScalarValue : LaunchFault::kNone, index, 0};
  }
  if (given.address == 0) return {LaunchFault::kBufferMissing, index, 0};
  if (given.address % wanted.alignment != 0) return {LaunchFault::kBufferMisaligned, index, given.address};
  if (given.bytes < wanted.bytes) return {LaunchFault::kBufferTooSmall, index, given.bytes};
  return {};
}

LaunchOutcome ResidentKernel::State::check_stream(CUstream stream) const noexcept {
  CUcontext owner = nullptr;
  const CUresult code =
      is_special_stream(stream) ? cuda().cuCtxGetCurrent(&owner) : cuda().cuStreamGetCtx(stream, &owner);
  if (code != CUDA_SUCCESS) return driver_outcome(code);
  if (owner != context->get()) return {LaunchFault::kStreamContext, 0, 0};
  if (variables.empty()) return {};
  std::uintptr_t first = kNoStream;
  const std::uintptr_t own = stream_number(stream);
  if (stream_of_variables.compare_exchange_strong(first, own, std::memory_order_relaxed) || first == own)
    return {};
  return {LaunchFault::kStreamChanged, 0, 0};
}

LaunchOutcome ResidentKernel::State::check(CUstream stream, std::span<const GivenArgument> given,
                                           std::uint64_t workspace, std::uint64_t bytes) const noexcept {
  if (given.size() != expected.size()) return {LaunchFault::kArgumentCount, 0, given.size()};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (const LaunchOutcome outcome = check_argument(i, given[i]); !outcome.ok()) return outcome;
  }
  if (workspace_bytes > 0) {
    if (workspace == 0) return {LaunchFault::kWorkspaceMissing, 0, 0};
    if (bytes < workspace_bytes) return {LaunchFault::kWorkspaceTooSmall, 0, bytes};
    if (workspace % kWorkspaceAlignment != 0) return {LaunchFault::kWorkspaceMisaligned, 0, workspace};
  }
  return check_stream(stream);
}

LaunchOutcome ResidentKernel::launch(void* stream, std::span<const GivenArgument> given,
                                     std::uint64_t workspace, std::uint64_t workspace_bytes) const noexcept {
  const State& state = *state_;
  const auto queue = static_cast<CUstream>(stream);
  if (const LaunchOutcome outcome = state.check(queue, given, workspace, workspace_bytes); !outcome.ok())
    return outcome;
  Frame frame;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is written.
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t position = state.positions[i];
    frame.addresses[position] = given[i].address;
    frame.scalars[position] =
        given[i].value != nullptr ? given[i].value : state.usual_scalars[position].data();
  }
  CUresult code = CUDA_SUCCESS;
  for (const ResidentScratch& scratch : state.scratch)
    frame.addresses[scratch.argument] = workspace + scratch.offset;
  for (std::size_t i = 0; i < state.maps.size() && code == CUDA_SUCCESS; ++i) {
    if (state.maps[i].is_encoded) {
      code = state.maps[i].layout.encode(frame.maps[i], frame.addresses[state.maps[i].buffer]);
    } else {
      std::memset(&frame.maps[i], 0, sizeof(CUtensorMap));
    }
  }
  for (const ResidentScratch& scratch : state.scratch) {
    if (scratch.is_zeroed && code == CUDA_SUCCESS)
      code = cuda().cuMemsetD8Async(frame.addresses[scratch.argument], 0, scratch.bytes, queue);
  }
  for (const ResidentVariable& variable : state.variables) {
    if (code == CUDA_SUCCESS)
      code = cuda().cuMemcpyDtoDAsync(variable.address, frame.addresses[variable.argument], variable.bytes,
                                      queue);
  }
  for (const ResidentStep& step : state.steps) {
    if (code == CUDA_SUCCESS) code = enqueue(step, queue, frame);
  }
  return driver_outcome(code);
}

std::string ResidentKernel::describe(const LaunchOutcome& outcome) const {
  const auto& all = state_->expected;
  const ExpectedArgument none;
  const ExpectedArgument& wanted = outcome.argument < all.size() ? all[outcome.argument] : none;
  const std::string name = fmt::format("argument {} (\"{}\")", outcome.argument + 1, wanted.name);
  const auto type_name = [](std::uint64_t type) {
    const auto& known = kernel_templates::data_types();
    return type < known.size() ? known[type].name : std::string_view("an unknown one");
  };
  switch (outcome.fault) {
    case LaunchFault::kNone:
      return "";
    case LaunchFault::kArgumentCount:
      return fmt::format("expected {} arguments, found {}", all.size(), outcome.found);
    case LaunchFault::kArgumentKind:
      return fmt::format("{}: expected a {}", name, wanted.is_buffer() ? "buffer" : "scalar");
    case LaunchFault::kArgumentType:
      return fmt::format("{}: expected the type {}, found {}", name, kernel_templates::info(wanted.type).name,
                         type_name(outcome.found));
    case LaunchFault::kBufferMissing:
      return fmt::format("{}: expected a buffer, found a null address", name);
    case LaunchFault::kBufferTooSmall:
      return fmt::format("{}: expected at least {} bytes, found {}", name, wanted.bytes, outcome.found);
    case LaunchFault::kBufferMisaligned:
      return fmt::format("{}: expected an address that is a multiple of {}, found {:#x}", name,
                         wanted.alignment, outcome.found);
    case LaunchFault::kScalarValue:
      return fmt::format("{}: its value follows from the problem, and another value was passed", name);
    case LaunchFault::kWorkspaceMissing:
      return fmt::format("expected a workspace of {} bytes, found none", state_->workspace_bytes);
    case LaunchFault::kWorkspaceTooSmall:
      return fmt::format("expected a workspace of {} bytes, found {}", state_->workspace_bytes,
                         outcome.found);
    case LaunchFault::kWorkspaceMisaligned:
      return fmt::format("expected a workspace at a multiple of {}, found {:#x}", kWorkspaceAlignment,
                         outcome.found);
    case LaunchFault::kStreamContext:
      return fmt::format(
          "the stream belongs to another device or context than the code, which is loaded on device {}",
          state_->context->ordinal());
    case LaunchFault::kStreamChanged:
      return "a kernel with variables runs only on the stream of its first launch; load it again for this "
             "stream";
    case LaunchFault::kDriver:
      break;
  }
  return driver::describe(static_cast<CUresult>(outcome.found));
}

}  // namespace warptune::profiling
