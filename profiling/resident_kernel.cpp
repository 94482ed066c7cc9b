// Loads the code of one configuration once, so that it can be launched often.
//
// `load` computes everything that does not change between launches. These are the functions, the launch
// configurations, the places of scratch buffers in the workspace, and the source of each parameter's value. A
// launch checks its arguments, writes addresses into arrays on its stack, and calls the driver. It only reads
// this object, so launches of several threads do not slow each other down. A kernel with variables is an
// exception: its first launch stores its stream in the object, and launches on another stream are refused.
// They could overwrite the variables while a kernel on the first stream reads them.
#include "profiling/resident_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernel_templates/argument_data.h"
#include "profiling/resident_state.h"

namespace warptune::profiling {

using kernel_templates::ArgumentKind;
using kernel_templates::ResolvedArgument;

namespace {

// A buffer must have the alignment that the widest vector load needs, because tuned code may use such loads.
// It is 16 bytes, and 32 bytes from compute capability 10.0 on (PTX ISA, "ld").
std::uint64_t buffer_alignment(const model::GpuDescription& gpu) { return gpu.compute_major >= 10 ? 32 : 16; }

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::optional<std::string> unsupported(const ResidentCode& code) {
  if (code.plan.host_program) return "it has a host program; libwarptune launches kernels only";
  if (code.arguments.size() > kMaxLaunchArguments)
    return fmt::format("it has {} arguments, and at most {} are supported", code.arguments.size(),
                       kMaxLaunchArguments);
  std::size_t maps = 0;
  for (const ResolvedArgument& argument : code.arguments) {
    if (argument.kind == ArgumentKind::kTexture)
      return fmt::format("\"{}\" is a texture, which libwarptune cannot launch with", argument.name);
    if (argument.memory != kernel_templates::Memory::kDevice)
      return fmt::format("\"{}\" is in {} memory, which libwarptune cannot launch with", argument.name,
                         argument.memory == kernel_templates::Memory::kManaged ? "managed" : "the host's");
    maps += argument.kind == ArgumentKind::kTensorMap ? 1 : 0;
  }
  if (maps > kMaxTensorMaps)
    return fmt::format("it has {} tensor maps, and at most {} are supported", maps, kMaxTensorMaps);
  return std::nullopt;
}

std::vector<std::size_t> parameter_sizes(const std::vector<ResolvedArgument>& arguments) {
  std::vector<std::size_t> sizes;
  sizes.reserve(arguments.size());
  for (const ResolvedArgument& argument : arguments) {
    sizes.push_back(argument.kind == ArgumentKind::kTensorMap ? sizeof(CUtensorMap)
                    : argument.kind == ArgumentKind::kScalar
                        ? kernel_templates::info(argument.type).size_bytes
                        : sizeof(CUdeviceptr));
  }
  return sizes;
}

}  // namespace

std::uint64_t workspace_bytes_of(const std::vector<ResolvedArgument>& arguments) {
  std::uint64_t bytes = 0;
  for (const ResolvedArgument& argument : arguments) {
    if (argument.kind == ArgumentKind::kScratch)
      bytes += rounded_up(static_cast<std::uint64_t>(argument.bytes()), kWorkspaceAlignment);
  }
  return bytes;
}

void ResidentKernel::State::add_arguments(const ResidentCode& code, const model::GpuDescription& gpu) {
  usual_scalars.resize(code.arguments.size());
  workspace_bytes = std::max(code.workspace_bytes, workspace_bytes_of(code.arguments));
  std::uint64_t scratch_bytes = 0;
  for (std::size_t i = 0; i < code.arguments.size(); ++i) {
    const ResolvedArgument& argument = code.arguments[i];
    const auto bytes = static_cast<std::uint64_t>(argument.is_buffer() ? argument.placed_bytes() : 0);
    if (argument.kind == ArgumentKind::kScratch) {
      scratch.push_back({i, scratch_bytes, bytes, argument.zeroed});
      scratch_bytes += rounded_up(bytes, kWorkspaceAlignment);
    } else if (argument.kind == ArgumentKind::kTensorMap) {
      maps.push_back(
          {i, argument.tensor_map.buffer, argument.tensor_map.encoded, driver::TensorMapLayout(argument)});
    } else if (argument.kind == ArgumentKind::kScalar) {
      usual_scalars[i] = kernel_templates::scalar_bytes(argument);
      expected.push_back({argument.name, argument.kind, argument.type, usual_scalars[i].size(), 1,
                          static_cast<bool>(code.is_fixed.at(i))});
      positions.push_back(i);
    } else {
      expected.push_back({argument.name, argument.kind, argument.type, bytes, buffer_alignment(gpu), false});
      positions.push_back(i);
    }
  }
}

std::optional<std::string> ResidentKernel::State::find_variables(const ResidentCode& code) {
  for (std::size_t i = 0; i < code.arguments.size(); ++i) {
    const ResolvedArgument& argument = code.arguments[i];
    if (argument.symbol.empty()) continue;
    ResidentVariable variable{i, 0, static_cast<std::uint64_t>(argument.bytes())};
    std::size_t bytes = 0;
    const std::string& symbol = code.compiled.find_variable(kernel_templates::variable_of(argument.symbol));
    WARPTUNE_CUDA(cuModuleGetGlobal(&variable.address, &bytes, module.get(), symbol.c_str()));
    if (variable.bytes > bytes) {
      return fmt::format("the variable {} has {} bytes, but its argument \"{}\" has {}", argument.symbol,
                         bytes, argument.name, variable.bytes);
    }
    variables.push_back(variable);
  }
  return std::nullopt;
}

ResidentParameter ResidentKernel::State::parameter_of(std::size_t argument, CUdeviceptr offset) const {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].argument == argument) return {ResidentParameter::From::kTensorMap, i, 0, {}};
  }
  const bool is_scalar = !usual_scalars.at(argument).empty();
  return {
      is_scalar ? ResidentParameter::From::kScalar : ResidentParameter::From::kAddress, argument, offset, {}};
}

std::optional<std::string> ResidentKernel::State::add_steps(const ResidentCode& code,
                                                            const model::GpuDescription& gpu) {
  const std::vector<std::size_t> sizes = parameter_sizes(code.arguments);
  driver::LaunchScreening screening(code.compiled, gpu, sizes, code.arguments);
  for (const kernel_templates::PlanStep& planned : code.plan.steps) {
    const kernel_templates::LaunchStep* launch = planned.launch();
    if (launch == nullptr) return "it has a step that is not a launch";
    const auto screened = screening.screen(module.get(), *launch);
    if (!screened) return screened.error();
    ResidentStep step{screened->function, std::make_unique<driver::LaunchConfig>(*launch, nullptr), {}};
    for (std::size_t i = 0; !launch->arguments && i < code.arguments.size(); ++i) {
      if (code.arguments[i].symbol.empty()) step.parameters.push_back(parameter_of(i, 0));
    }
    if (launch->arguments) {
      for (const kernel_templates::PassedArgument& passed : *launch->arguments) {
        if (!passed.addresses.empty())
          return fmt::format("{} gets a struct with addresses, which libwarptune cannot launch with",
                             launch->entry);
        step.parameters.push_back(
            passed.argument ? parameter_of(*passed.argument, static_cast<CUdeviceptr>(passed.offset_bytes))
                            : ResidentParameter{ResidentParameter::From::kValue, 0, 0, passed.value});
      }
    }
    if (step.parameters.size() > kMaxParameters)
      return fmt::format("{} has {} parameters, and at most {} are supported", launch->entry,
                         step.parameters.size(), kMaxParameters);
    steps.push_back(std::move(step));
  }
  return std::nullopt;
}

model::Outcome<std::unique_ptr<ResidentKernel>> ResidentKernel::load(
    const ResidentCode& code, const model::GpuDescription& gpu,
    std::shared_ptr<const ResidentContext> context) {
  const auto reject = [](std::string reason) {
    return base::failure(model::Rejection{model::Status::kLaunchInvalid, std::move(reason)});
  };
  if (const auto reason = unsupported(code)) return reject(*reason);
  auto state = std::make_unique<State>();
  state->context = std::move(context);
  const ResidentContext::Use use(*state->context);
  const driver::AmidCapture amid;  // A program may load code while it captures a stream.
  WARPTUNE_CUDA(cuModuleLoadData(state->module.out(), code.compiled.cubin.data()));
  std::unique_ptr<ResidentKernel> loaded(
      new ResidentKernel(std::move(state)));  // Its destructor unloads the code if a call below fails.
  loaded->state_->add_arguments(code, gpu);
  if (const auto fault = loaded->state_->find_variables(code)) return reject(*fault);
  if (const auto fault = loaded->state_->add_steps(code, gpu)) return reject(*fault);
  return loaded;
}

ResidentKernel::ResidentKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}

ResidentKernel::~ResidentKernel() {
  try {
    const ResidentContext::Use use(*state_->context);
    state_->module.reset();
  } catch (const base::MachineError&) {  // The context is gone, and its modules with it.
    (void)state_->module.release();
  }
}

const std::vector<ExpectedArgument>& ResidentKernel::expected() const { return state_->expected; }
std::uint64_t ResidentKernel::workspace_bytes() const { return state_->workspace_bytes; }

}  // namespace warptune::profiling
