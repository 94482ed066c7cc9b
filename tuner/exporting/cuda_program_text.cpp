#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/exporting/cuda_kernel.h"

namespace warptune::tuner::exporting {

namespace {

using kernel_templates::Argument;

// The functions from which the host gets the addresses of a program's kernels and variables. For a compiler
// other than nvcc there are stand-ins, so that it can compile the rest of the file. CUDA does not know the
// addresses that these return.
std::string host_functions(const CudaKernel& kernel, const ExportedProgram& program) {
  std::string text = "#if !defined(__CUDACC_RTC__)\n";
  for (std::size_t i = 0; i < program.entries.size(); ++i) {
    text +=
        fmt::format("inline const void* entry_{}() {{ return (const void*)({}); }}\n", i, program.entries[i]);
  }
  for (const Argument& argument : kernel.definition().arguments) {
    if (argument.symbol.empty()) continue;
    text +=
        fmt::format("inline const void* symbol_{0}() {{ return (const void*)&({0}); }}\n", argument.symbol);
  }
  return text + "#endif\n";
}

std::string stand_ins(const CudaKernel& kernel, const ExportedProgram& program, std::size_t index) {
  std::string text = fmt::format("namespace program_{} {{\n", index);
  const auto add = [&](const std::string& name) {
    text += fmt::format("inline const void* {}() {{\n  static const char place = 0;\n  return &place;\n}}\n",
                        name);
  };
  for (std::size_t i = 0; i < program.entries.size(); ++i) add(fmt::format("entry_{}", i));
  for (const Argument& argument : kernel.definition().arguments) {
    if (!argument.symbol.empty()) add("symbol_" + argument.symbol);
  }
  return text + fmt::format("}}  // namespace program_{}\n", index);
}

// nvcc also compiles a program for the host, without the macros of an architecture. A program may have parts
// that exist only for its architecture, and others that need these parts. So the macros are defined for the
// host, too. `change` is `define` or `undef`.
std::string architecture_text(const ExportedProgram& program, const std::string& change) {
  const int capability = program.compute_capability;
  std::vector<std::pair<std::string, std::string>> macros = {
      {"__CUDA_ARCH__", fmt::format("{}0", capability)}};
  if (!program.architecture.empty())
    macros.emplace_back(fmt::format("__CUDA_ARCH_FEAT_SM{}_ALL", capability), "1");
  const bool defines = change == "define";
  std::string text = defines ? "#if !defined(__CUDA_ARCH__)\n#define WARPTUNE_HOST_PASS 1\n"
                             : "#if defined(WARPTUNE_HOST_PASS)\n#undef WARPTUNE_HOST_PASS\n";
  for (const auto& [name, value] : macros)
    text += defines ? fmt::format("#define {} {}\n", name, value) : fmt::format("#undef {}\n", name);
  return text + "#endif\n";
}

std::string one_program(const CudaKernel& kernel, std::size_t index) {
  const ExportedProgram& program = kernel.programs.programs[index];
  std::string text = "#if defined(__CUDACC__)\n";
  for (const auto& [name, value] : program.macros) text += fmt::format("#define {} {}\n", name, value);
  text += architecture_text(program, "define");
  text += fmt::format("namespace program_{} {{\n", index);
  text += program.source.text;
  text += host_functions(kernel, program);
  text += fmt::format("}}  // namespace program_{}\n", index);
  text += architecture_text(program, "undef");
  for (const auto& [name, value] : program.macros) text += fmt::format("#undef {}\n", name);
  for (const std::string& name : program.source.macros) text += fmt::format("#undef {}\n", name);
  return text + "#else\n" + stand_ins(kernel, program, index) + "#endif\n";
}

}  // namespace

std::string program_text(const CudaKernel& kernel) {
  std::string text;
  for (std::size_t i = 0; i < kernel.programs.programs.size(); ++i) {
    std::string users;
    for (std::size_t row = 0; row < kernel.programs.of_row.size(); ++row) {
      if (kernel.programs.of_row[row] == i) users += fmt::format("{}row {}", users.empty() ? "" : ", ", row);
    }
    for (const std::size_t default_program : kernel.programs.defaults) {
      if (default_program == i) users += fmt::format("{}the default", users.empty() ? "" : ", ");
    }
    for (std::size_t j = 0; j < kernel.programs.recommended.size(); ++j) {
      if (std::ranges::count(kernel.programs.recommended[j], i) > 0)
        users += fmt::format("{}recommendation {}", users.empty() ? "" : ", ", j);
    }
    text += fmt::format("// The program of {}.\n{}\n", users, one_program(kernel, i));
  }
  return text;
}

}  // namespace warptune::tuner::exporting
