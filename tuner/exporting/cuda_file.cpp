#include "tuner/exporting/cuda_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "tuner/exporting/cuda_kernel.h"
#include "tuner/exporting/cuda_support.h"

namespace warptune::tuner::exporting {

namespace {

// The compiler options that an exported file needs.
struct CompilerNeeds {
  std::vector<std::string> flags;
  std::set<std::string> architectures;
  std::string language = "c++17";
};

// Throws `base::InputError` if programs need different flags, because a file is compiled with one set of
// them.
CompilerNeeds needs_of(const std::vector<CudaKernel>& kernels) {
  CompilerNeeds needs;
  const CudaKernel* first = nullptr;
  for (const CudaKernel& kernel : kernels) {
    for (const ExportedProgram& program : kernel.programs.programs) {
      needs.language = std::max(needs.language, program.language);
      if (!program.architecture.empty()) needs.architectures.insert(program.architecture);
      if (program.flags.empty()) continue;
      if (first != nullptr && needs.flags != program.flags) {
        throw base::InputError(
            fmt::format("cannot export {} and {} to one CUDA file: one needs the compiler options '{}', the "
                        "other '{}'; export fewer kernels at once",
                        first->definition().name, kernel.definition().name, fmt::join(needs.flags, " "),
                        fmt::join(program.flags, " ")));
      }
      needs.flags = program.flags;
      first = &kernel;
    }
  }
  for (const CudaKernel& kernel : kernels) {
    const bool needs_none = std::all_of(kernel.programs.programs.begin(), kernel.programs.programs.end(),
                                        [](const ExportedProgram& program) { return program.flags.empty(); });
    if (first != nullptr && needs_none) {
      throw base::InputError(fmt::format(
          "cannot export {} and {} to one CUDA file: only the first needs the compiler options '{}'; "
          "export them to files of their own",
          first->definition().name, kernel.definition().name, fmt::join(needs.flags, " ")));
    }
  }
  return needs;
}

// The macro that the user defines to confirm that the options were passed. nvcc defines no macro that shows
// this.
std::string option_macro(const std::vector<std::string>& flags) {
  std::string name = "WARPTUNE_OPTIONS";
  for (const std::string& flag : flags) {
    for (const char c : flag) {
      const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (fits || !name.ends_with('_')) name += fits ? c : '_';
    }
  }
  return name;
}

std::string command_of(const CompilerNeeds& needs) {
  std::string options = fmt::format("-std={}", needs.language);
  // Not -arch=sm_90a, because nvcc would compile for compute_90, too.
  for (const std::string& architecture : needs.architectures)
    options += fmt::format(" -gencode arch=compute_{0},code=sm_{0}", architecture);
  for (const std::string& flag : needs.flags) options += " " + flag;
  return options;
}

std::string requirements(const CompilerNeeds& needs) {
  std::string text;
  const std::string command = command_of(needs);
  if (!needs.flags.empty()) {
    const std::string macro = option_macro(needs.flags);
    text += fmt::format(
        "#if !defined({0})\n#error \"compile this file with {1} -D{0}; its kernels were measured with these "
        "options\"\n#endif\n",
        macro, command);
  }
  if (needs.language != "c++17") {
    text += fmt::format("#if __cplusplus < {}02L\n#error \"compile this file with {}\"\n#endif\n",
                        needs.language == "c++20" ? "2020" : needs.language.substr(3), command);
  }
  for (const std::string& architecture : needs.architectures) {
    const std::string digits = architecture.substr(0, architecture.size() - 1);
    text += fmt::format(
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == {0}0 && !defined(__CUDA_ARCH_FEAT_SM{0}_ALL)\n#error "
        "\"compile this file with {1}; its code is for this architecture only\"\n#endif\n",
        digits, command);
  }
  return text;
}

std::set<std::string> macros_of(const std::vector<CudaKernel>& kernels) {
  std::set<std::string> macros;
  for (const CudaKernel& kernel : kernels) {
    macros.insert(kernel.names.fields.begin(), kernel.names.fields.end());
    for (const ExportedProgram& program : kernel.programs.programs) {
      for (const auto& [name, value] : program.macros) macros.insert(name);
      macros.insert(program.source.macros.begin(), program.source.macros.end());
    }
  }
  return macros;
}

std::string includes_of(const std::vector<CudaKernel>& kernels) {
  std::string text =
      "#if !defined(__CUDACC_RTC__)\n#include <cuda.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
      "#include <cuda_runtime.h>\n\n#include <atomic>\n#include <cstddef>\n#include <cstdint>\n"
      "#include <cstring>\n#include <type_traits>\n#endif\n";
  std::set<std::string> seen;
  std::string of_kernels;
  for (const CudaKernel& kernel : kernels) {
    for (const ExportedProgram& program : kernel.programs.programs) {
      for (const std::string& line : program.source.headers) {
        if (seen.insert(line).second) of_kernels += line + "\n";
      }
    }
  }
  if (!of_kernels.empty()) text += "#if defined(__CUDACC__)\n" + of_kernels + "#endif\n";
  return text;
}

std::string kernel_text(const CudaKernel& kernel) {
  return fmt::format(
      "namespace {0} {{\n#if !defined(__CUDACC_RTC__)\nnamespace {{\n#endif\n\n{1}"
      "#if !defined(__CUDACC_RTC__)\n{2}{3}{4}\n}}  // namespace\n#endif\n}}  // namespace {0}\n",
      kernel.names.name_space, program_text(kernel), choice_text(kernel), workspace_text(kernel),
      launch_text(kernel));
}

std::string clash_text(const std::vector<CudaKernel>& kernels) {
  std::string text;
  for (const CudaKernel& kernel : kernels) {
    text += fmt::format(
        "#if defined(EXPORTED_{0})\n#error \"two exported files have the kernel {1}; export both to one "
        "file\"\n#endif\n#define EXPORTED_{0} 1\n",
        kernel.names.name_space, db::cpp_comment(kernel.definition().name));
  }
  return text;
}

std::string header_text(const std::vector<db::ExportInput>& inputs) {
  for (const db::ExportFormat& format : db::export_formats()) {
    if (format.name == "header") return format.write(inputs);
  }
  throw base::InternalError("no format 'header'");
}

}  // namespace

std::string cuda_file(const std::vector<KernelExport>& kernels) {
  std::vector<db::ExportInput> inputs;
  inputs.reserve(kernels.size());
  for (const KernelExport& kernel : kernels) inputs.push_back(kernel.input);
  std::vector<db::ExportedNames> names = db::exported_names(inputs);
  std::vector<CudaKernel> all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    ExportedPrograms programs =
        exported_programs(kernels[i].definition, names[i].rows, names[i].recommendations);
    all.push_back({kernels[i], std::move(names[i]), std::move(programs)});
  }
  const CompilerNeeds needs = needs_of(all);
  std::string body = clash_text(all) + requirements(needs) + includes_of(all) + "\n";
  std::string save;
  std::string restore;
  for (const std::string& macro : macros_of(all)) {
    save += fmt::format("#pragma push_macro(\"{}\")\n", macro);
    restore += fmt::format("#pragma pop_macro(\"{}\")\n", macro);
  }
  body +=
      "// Macros of these names are set aside up to the end of this file.\n#if !defined(__CUDACC_RTC__)\n" +
      save + "#endif\n";
  for (const std::string& macro : macros_of(all)) body += fmt::format("#undef {}\n", macro);
  body += "\n" + header_text(inputs) + "\n";
  body += kCudaArguments;
  body += kCudaLaunches;
  body +=
      "\n#if defined(__CUDACC__)\n#pragma nv_diagnostic push\n#pragma nv_diag_suppress 177, 550\n#endif\n\n";
  for (const CudaKernel& kernel : all) body += kernel_text(kernel) + "\n";
  body += "#if defined(__CUDACC__)\n#pragma nv_diagnostic pop\n#endif\n#if !defined(__CUDACC_RTC__)\n" +
          restore + "#endif\n";
  const std::string guard = "WARPTUNE_CUDA_" + base::hash_hex(body);
  return fmt::format(
      "// Made by `warptune export --format cuda`. `warptune export --check` says whether it still matches "
      "the "
      "database.\n// Compile with nvcc {1}\n// See docs/export.md of warptune.\n#ifndef "
      "{0}\n#define "
      "{0}\n\n{2}\n#endif  // {0}\n",
      guard, command_of(needs), body);
}

}  // namespace warptune::tuner::exporting
