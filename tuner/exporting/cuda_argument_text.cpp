// How the arguments of a kernel become parameters of the exported function `launch`, which checks them and
// passes them to the kernel.
//
// * A buffer is a pointer. If the definition names its type, the C++ compiler checks it. If an entry of the
//   problem names it, `launch` checks it at run time.
// * A scalar that the definition computes from the problem is computed by `launch`, too. Other scalars are
//   parameters.
// * Scratch buffers are parts of the workspace. Tensor maps are encoded for each launch.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "tuner/exporting/cuda_kernel.h"

namespace warptune::tuner::exporting {

namespace {

using kernel_templates::Argument;
using kernel_templates::ArgumentKind;

std::string cuda_name(const Argument& argument) {
  return std::string(kernel_templates::info(*kernel_templates::parse_data_type(argument.type)).cuda_name);
}

const Argument& buffer_of(const CudaKernel& kernel, const std::string& name) {
  const auto& arguments = kernel.definition().arguments;
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const Argument& argument) { return argument.name == name; });
  if (found == arguments.end()) throw base::InternalError("no argument " + name);
  return *found;
}

// The elements of a buffer's memory, with the padding of its rows. 0, which `launch` refuses, if the rows
// overlap or the last one is incomplete.
model::Expression elements_of(const Argument& argument) {
  if (!argument.pitch) return *argument.count;
  return model::Expression::parse(
      fmt::format("({2}) >= ({1}) && ({0}) % ({1}) == 0 ? ceil_div({0}, {1}) * ({2}) : 0",
                  argument.count->text(), argument.width->text(), argument.pitch->text()));
}

std::string size_of(const CudaKernel& kernel, const Argument& argument) {
  return fmt::format("warptune_detail::buffer_bytes({}, {})", kernel.cell(elements_of(argument)),
                     kernel.type_of(argument));
}

void add_buffer(const CudaKernel& kernel, const Argument& argument, ArgumentText& text) {
  const std::string name = CudaKernel::name_of(argument);
  const bool reads_only = argument.kind == ArgumentKind::kIn;
  const bool varies = kernel.has_varying_type(argument);
  text.parameters.push_back(
      varies ? fmt::format("warptune_detail::{}Buffer {}", reads_only ? "In" : "Out", name)
             : fmt::format("{}{}* {}", reads_only ? "const " : "", cuda_name(argument), name));
  text.documents.push_back(fmt::format("{}: {}, {} elements of type {}", name,
                                       reads_only                              ? "read"
                                       : argument.kind == ArgumentKind::kInOut ? "read and written"
                                                                               : "written",
                                       argument.count->text(), argument.type));
  if (argument.pitch)
    text.documents.back() += fmt::format(", in rows of {} that begin {} elements apart",
                                         argument.width->text(), argument.pitch->text());
  text.checks += fmt::format(
      "  fault = warptune_detail::fault_of({}, {}, {},\n                                    {},\n"
      "                                    warptune_detail::alignment_on(device.compute_capability));\n"
      "  if (fault != nullptr) return warptune_detail::refused(warptune_detail::error_of(fault), fault);\n",
      varies ? name + ".address" : name, varies ? name + ".type" : "\"\"", kernel.type_of(argument),
      size_of(kernel, argument));
  text.passed.push_back(fmt::format("(void*)&{}{}", name, varies ? ".address" : ""));
}

void add_scalar(const CudaKernel& kernel, const Argument& argument, ArgumentText& text) {
  const std::string name = CudaKernel::name_of(argument);
  std::string value = kernel.cell(*argument.value);
  if (is_given_by_caller(argument)) {
    const bool varies = kernel.has_varying_type(argument);
    text.parameters.push_back(varies ? "warptune_detail::Number " + name : cuda_name(argument) + " " + name);
    text.documents.push_back(fmt::format("{}: a number of type {}; it was {} when the kernel was tuned", name,
                                         argument.type, argument.value->text()));
    if (!varies) {
      text.passed.push_back(fmt::format("&{}", name));
      return;
    }
    value = name + ".value";
  }
  text.checks +=
      fmt::format("  warptune_detail::Scalar {}_value({}, {});\n", name, value, kernel.type_of(argument));
  text.checks += fmt::format(
      "  if (!{}_value.fits) {{\n    return warptune_detail::refused(cudaErrorInvalidValue, \"the value of a "
      "scalar does not fit its type\");\n  }}\n",
      name);
  text.passed.push_back(fmt::format("{}_value.bytes", name));
}

void add_scratch(const Argument& argument, ArgumentText& text) {
  const std::string name = CudaKernel::name_of(argument);
  text.checks += fmt::format("  void* {0} = static_cast<unsigned char*>(workspace) + space.{0};\n", name);
  text.passed.push_back(fmt::format("&{}", name));
}

void add_map(const CudaKernel& kernel, const Argument& argument, ArgumentText& text) {
  const std::string name = CudaKernel::name_of(argument);
  const kernel_templates::TensorMap& map = *argument.tensor_map;
  const Argument& buffer = buffer_of(kernel, map.of);
  std::string& code = text.checks;
  code += fmt::format("  CUtensorMap {}{{}};\n", name);
  code += map.when ? fmt::format("  if (warptune_detail::holds({})) {{\n", kernel.cell(*map.when)) : "  {\n";
  code += "    warptune_detail::MapShape shape;\n";
  code += fmt::format("    shape.dimensions = {};\n", map.shape.size());
  const auto extents = [&](const char* member, const std::vector<model::Expression>& expressions) {
    for (std::size_t i = 0; i < expressions.size(); ++i)
      code += fmt::format("    shape.{}[{}] = {};\n", member, i, kernel.cell(expressions[i]));
  };
  extents("shape", map.shape);
  extents("pitch", map.pitch);
  extents("box", map.box);
  if (!map.pitch.empty()) code += "    shape.packed = false;\n";
  if (map.swizzle) code += fmt::format("    shape.swizzle_bytes = {};\n", kernel.cell(*map.swizzle));
  const bool is_parameter = buffer.kind != ArgumentKind::kScratch && kernel.has_varying_type(buffer);
  code += fmt::format("    error = warptune_detail::encode_map({}, shape, {}, {}{},\n", name,
                      kernel.type_of(buffer), CudaKernel::name_of(buffer), is_parameter ? ".address" : "");
  code += fmt::format("                                        {});\n", size_of(kernel, buffer));
  code += "    if (error != cudaSuccess) return error;\n  }\n";
  text.passed.push_back(fmt::format("&{}", name));
}

}  // namespace

ArgumentText argument_text(const CudaKernel& kernel) {
  ArgumentText text;
  for (const Argument& argument : kernel.definition().arguments) {
    if (!argument.symbol.empty()) continue;
    switch (argument.kind) {
      case ArgumentKind::kIn:
      case ArgumentKind::kOut:
      case ArgumentKind::kInOut:
        add_buffer(kernel, argument, text);
        break;
      case ArgumentKind::kScalar:
        add_scalar(kernel, argument, text);
        break;
      case ArgumentKind::kScratch:
        add_scratch(argument, text);
        break;
      case ArgumentKind::kTensorMap:
        add_map(kernel, argument, text);
        break;
      case ArgumentKind::kTexture:
        throw base::InternalError("textures are not exported");
    }
  }
  return text;
}

std::string workspace_text(const CudaKernel& kernel) {
  std::string members;
  std::string code;
  for (const bool zeroed : {true, false}) {  // Zeroed buffers come first: one call zeroes all.
    for (const Argument& argument : kernel.definition().arguments) {
      if (argument.kind != ArgumentKind::kScratch || argument.zeroed != zeroed) continue;
      const std::string name = CudaKernel::name_of(argument);
      members += fmt::format("  long long {} = 0;\n", name);
      code +=
          fmt::format("  space.{} = space.layout.add({}, {});\n", name, size_of(kernel, argument), zeroed);
    }
  }
  return fmt::format(
      "/// Where the scratch buffers of a configuration are in the workspace, in bytes from its begin.\n"
      "struct Workspace {{\n  warptune_detail::Layout layout;\n{}}};\n"
      "inline Workspace workspace_of(const Config& config, const Problem& problem, const Device& device) {{\n"
      "  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);\n"
      "  Workspace space;\n{}  return space;\n}}\n",
      members, code);
}

}  // namespace warptune::tuner::exporting
