#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "kernel_templates/data_type.h"
#include "tuner/exporting/cuda_kernel.h"

namespace warptune::tuner::exporting {

namespace {

using kernel_templates::Argument;

constexpr const char* kWorkspaceBytes =
    R"cpp(/// The bytes that `launch` needs for a problem on a device; 0 if it needs none, or if nothing can
          /// run.
          inline std::size_t workspace_bytes(const Problem& problem, const Device& device) {
            const Choice choice = choose(device, problem);
            if (choice.program < 0) return 0;
            const Workspace space = workspace_of(choice.selection.config, problem, device);
            return space.layout.valid ? static_cast<std::size_t>(space.layout.bytes) : 0;
          }
          /// The same for the current device.
          inline std::size_t workspace_bytes(const Problem& problem) {
            Device device;
            int ordinal = 0;
            if (warptune_detail::current_device(device, ordinal) != cudaSuccess) return 0;
            return workspace_bytes(problem, device);
          }
          /// Why the last call of `launch` in this thread returned an error; "" if it did not.
          inline const char* launch_error() { return warptune_detail::reason(); }
    )cpp";

// The beginning of each function that enqueues something: the device, the stream, the configuration.
constexpr const char* kBegin =
    R"cpp(warptune_detail::reason() = "";
          Device device;
          int ordinal = 0;
          cudaError_t error = warptune_detail::current_device(device, ordinal);
          if (error == cudaSuccess) error = warptune_detail::check_stream(stream, ordinal);
          if (error != cudaSuccess) return error;
          const Choice choice = choose(device, problem);
          if (choice.program < 0) {
            return warptune_detail::refused(
                cudaErrorNotSupported,
                "no configuration of this file can run for the problem on this device");
          }
          const Config& config = choice.selection.config;
    )cpp";

constexpr const char* kWorkspaceChecks =
    R"cpp(const Workspace space = workspace_of(config, problem, device);
          if (!space.layout.valid)
            return warptune_detail::refused(cudaErrorInvalidValue,
                                            "the size of the workspace has no value for this problem");
          if (space.layout.bytes > 0) {
            if (workspace == nullptr || workspace_size < static_cast<std::size_t>(space.layout.bytes))
              return warptune_detail::refused(cudaErrorInvalidValue,
                                              "the workspace is smaller than workspace_bytes(problem)");
            if (reinterpret_cast<std::uintptr_t>(workspace) % warptune_detail::kWorkspaceAlignment != 0)
              return warptune_detail::refused(cudaErrorMisalignedAddress,
                                              "the workspace is not aligned to "
                                              "256 bytes");
          }
    )cpp";

constexpr const char* kLaunches =
    R"cpp(for (const warptune_detail::LaunchShape& shape : shapes) {
            if (!shape.valid) {
              return warptune_detail::refused(cudaErrorInvalidConfiguration,
                                              "the size of a launch has no value for this problem");
            }
          }
          static std::atomic<bool> ready[program_count][launch_count][warptune_detail::kMaxDevices];
          const void* kernels[launch_count] = {};
          for (int i = 0; i < launch_count; ++i) {
            kernels[i] = kernel_of(choice.program, i);
            if (!shapes[i].runs) continue;
            error = warptune_detail::prepare(kernels[i], device, ready[choice.program][i][ordinal]);
            if (error != cudaSuccess) return error;
          }
          if (space.layout.zeroed > 0) {
            error = cudaMemsetAsync(workspace, 0, static_cast<std::size_t>(space.layout.zeroed), stream);
            if (error != cudaSuccess)
              return warptune_detail::refused(error,
                                              "CUDA refuses to zero the "
                                              "workspace");
          }
          for (int i = 0; i < launch_count && error == cudaSuccess; ++i) {
            if (shapes[i].runs) error = warptune_detail::launch_kernel(shapes[i], kernels[i], stream, parameters);
          }
          return error;
          }
    )cpp";

std::vector<const Argument*> symbols_of(const CudaKernel& kernel) {
  std::vector<const Argument*> symbols;
  for (const Argument& argument : kernel.definition().arguments) {
    if (!argument.symbol.empty()) symbols.push_back(&argument);
  }
  return symbols;
}

// The exported function `set_symbols`, which copies contents to the variables of a program, and
// `has_symbols`, which says whether it has done so.
std::string symbols_text(const CudaKernel& kernel) {
  const std::vector<const Argument*> symbols = symbols_of(kernel);
  if (symbols.empty()) return "";
  std::string parameters;
  std::string copies;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Argument& symbol = *symbols[i];
    const std::string name = CudaKernel::name_of(symbol);
    parameters += fmt::format(", warptune_detail::InBuffer {}", name);
    copies += fmt::format(
        "  error = warptune_detail::copy_to_symbol(symbols_of(choice.program)[{}], {}, {}, {}, stream);\n"
        "  if (error != cudaSuccess) return error;\n",
        i, name, kernel.type_of(symbol), kernel.cell(*symbol.count));
  }
  std::string text = "struct Symbols {\n  const void* of[" + std::to_string(symbols.size()) +
                     "] = {};\n  const void* operator[](int i) const { return of[i]; }\n};\n"
                     "inline Symbols symbols_of(int program) {\n  switch (program) {\n";
  for (std::size_t i = 0; i < kernel.programs.programs.size(); ++i) {
    std::vector<std::string> calls;
    calls.reserve(symbols.size());
    for (const Argument* symbol : symbols)
      calls.push_back(fmt::format("program_{}::symbol_{}()", i, symbol->symbol));
    text += fmt::format("    case {}:\n      return {{{{{}}}}};\n", i, fmt::join(calls, ", "));
  }
  text += "    default:\n      return {};\n  }\n}\n";
  text +=
      "inline std::atomic<bool>& has_symbols(int program, int ordinal) {\n"
      "  static std::atomic<bool> set[program_count][warptune_detail::kMaxDevices];\n"
      "  return set[program][ordinal];\n}\n";
  text += fmt::format(
      "/// Copies the contents of the kernel's variables, from the host or the device. It is to be called "
      "for each\n"
      "/// problem and device before `launch`, and again when the contents change. `launch` uses them on "
      "streams\n"
      "/// that wait for `stream`.\n"
      "inline cudaError_t set_symbols(cudaStream_t stream, const Problem& problem{}) {{\n{}{}",
      parameters, kBegin, copies);
  return text +
         "  static_cast<void>(config);\n  has_symbols(choice.program, ordinal).store(true);\n  return "
         "cudaSuccess;\n}\n";
}

}  // namespace

std::string launch_text(const CudaKernel& kernel) {
  const ArgumentText arguments = argument_text(kernel);
  const std::size_t launches = launches_of(kernel.definition()).size();
  std::string text = fmt::format("constexpr int program_count = {};\nconstexpr int launch_count = {};\n",
                                 kernel.programs.programs.size(), launches);
  text += kWorkspaceBytes;
  text += symbols_text(kernel);
  text +=
      "/// Enqueues the best configuration for a problem on the current device. It returns an error without\n"
      "/// launching anything if an argument cannot be right; `launch_error` says why. It does not wait.\n";
  for (const std::string& document : arguments.documents)
    text += fmt::format("/// * {}\n", db::cpp_comment(document));
  text += "/// * workspace: memory of the device, `workspace_bytes(problem)` bytes, for this launch alone\n";
  text += "inline cudaError_t launch(cudaStream_t stream, const Problem& problem";
  for (const std::string& parameter : arguments.parameters)
    text += ",\n                          " + parameter;
  text += ",\n                          void* workspace, std::size_t workspace_size) {\n";
  text += kBegin;
  if (!symbols_of(kernel).empty()) {
    text +=
        "  if (!has_symbols(choice.program, ordinal).load())\n    return "
        "warptune_detail::refused(cudaErrorNotReady, "
        "\"set_symbols was not called for the problem on this device\");\n";
  }
  text += "  const char* fault = nullptr;\n  static_cast<void>(fault);\n";
  text += kWorkspaceChecks;
  text += arguments.checks;
  text += fmt::format("  void* parameters[] = {{{}}};\n", fmt::join(arguments.passed, ", "));
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < launches; ++i)
    shapes.push_back(fmt::format("shape_{}(config, problem, device)", i));
  text += fmt::format("  const warptune_detail::LaunchShape shapes[launch_count] = {{{}}};\n",
                      fmt::join(shapes, ",\n      "));
  return text + kLaunches;
}

}  // namespace warptune::tuner::exporting
