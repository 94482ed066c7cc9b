#include "kernel_templates/emulation/host_compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/nvcc/program_run.h"

namespace warptune::kernel_templates::emulation {

namespace fs = std::filesystem;

namespace {

nvcc::ProgramRun run(const std::vector<std::string>& arguments, const fs::path& folder,
                     const fs::path& compiler) {
  return nvcc::run_program(arguments,
                           {"PATH=" + compiler.parent_path().string() + ":/usr/local/bin:/usr/bin:/bin",
                            "LC_ALL=C", "TMPDIR=" + folder.string(),
                            "LD_LIBRARY_PATH=" + base::environment_text(base::Variable::kLibraryPath)},
                           folder / "output");
}

struct Build {
  const fs::path& folder;
  const fs::path& compiler;
  const std::vector<fs::path>& include_folders;
};

nvcc::ProgramRun compile(const Build& build, const char* debug_option, bool sanitized) {
  std::vector<std::string> arguments = {build.compiler.string(),
                                        "@" + (build.folder / kCompilerOptionsFile).string(),
                                        "-O0",
                                        debug_option,
                                        "-w",
                                        "-fno-exceptions",
                                        "-fno-rtti"};
  if (sanitized) {
    // For a copy of a trivially copyable class, such as `float2`, clang 14 emits a memcpy without the check
    // of the alignment. Vector types with a copy constructor of their own would be checked, but could not be
    // members of unions that are copied.
    arguments.emplace_back("-fsanitize=address,alignment,shift,integer-divide-by-zero");
    arguments.emplace_back("-fno-sanitize-recover=all");
  }
  for (const fs::path& include : build.include_folders) arguments.push_back("-I" + include.string());
  arguments.push_back("-I" + runtime_folder().string());
  arguments.push_back((build.folder / "program.cpp").string());
  arguments.emplace_back("-o");
  arguments.push_back((build.folder / "program").string());
  return run(arguments, build.folder, build.compiler);
}

ProgramOutcome compile_and_run_once(const Build& build, const char* debug_option, bool sanitized) {
  const nvcc::ProgramRun compiled = compile(build, debug_option, sanitized);
  if (compiled.exit_code != 0) return {false, compiled.exit_code, compiled.output};
  const nvcc::ProgramRun ran =
      run({(build.folder / "program").string(), build.folder.string()}, build.folder, build.compiler);
  return {true, ran.exit_code, ran.output};
}

// Whether the program never began: its sanitizer cannot work here.
bool has_not_begun(const ProgramOutcome& outcome) {
  return outcome.compiled && outcome.exit_code != 0 && outcome.output.find("begin\t") == std::string::npos &&
         outcome.output.find("reference\t") == std::string::npos;
}

bool has_sanitizer_report(const ProgramOutcome& outcome) {
  return outcome.output.find("ERROR: AddressSanitizer") != std::string::npos ||
         outcome.output.find("runtime error: ") != std::string::npos;
}

}  // namespace

fs::path find_host_compiler() {
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  const std::string named = base::environment_text(base::Variable::kCxx);
  if (!named.empty()) names.insert(names.begin(), named);
  for (const std::string& name : names) {
    if (fs::path(name).is_absolute() && ::access(name.c_str(), X_OK) == 0) return name;
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
      fs::path program = fs::path(folder) / name;
      if (!name.empty() && name.find('/') == std::string::npos && ::access(program.c_str(), X_OK) == 0)
        return program;
    }
  }
  return {};
}

fs::path runtime_folder() { return base::share_folder() / "emulation"; }

ProgramOutcome compile_and_run(const std::vector<NamedFile>& files, const fs::path& folder,
                               const fs::path& compiler, const std::vector<fs::path>& include_folders) {
  for (const NamedFile& file : files) {
    if (!(std::ofstream(folder / file.name, std::ios::binary) << file.bytes))
      return {false, -1, fmt::format("{} cannot be written", (folder / file.name).string())};
  }
  const Build build{folder, compiler, include_folders};
  bool sanitized = true;
  ProgramOutcome outcome = compile_and_run_once(build, "-g0", sanitized);
  if (!outcome.compiled || has_not_begun(outcome)) {
    ProgramOutcome plain = compile_and_run_once(build, "-g0", false);
    if (!plain.compiled || (outcome.compiled && has_not_begun(plain))) return outcome;
    sanitized = false;
    outcome = std::move(plain);
  }
  // Line numbers need a tenth of the compile time, and only a sanitizer's report has them.
  if (sanitized && has_sanitizer_report(outcome)) outcome = compile_and_run_once(build, "-g1", sanitized);
  return outcome;
}

}  // namespace warptune::kernel_templates::emulation
