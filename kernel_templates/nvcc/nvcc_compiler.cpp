// Lets nvcc compile a program that NVRTC would compile from memory.
//
// nvcc gets a file. Macros become `#define` lines in it, so that no shell between nvcc and its programs reads
// their texts. nvcc has no name expressions. So each entry is made the argument of a template. The demangled
// name of that instance contains the name of the entry.
#include "kernel_templates/nvcc/nvcc_compiler.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/environment.h"
#include "base/files.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compiling/assembler_report.h"
#include "kernel_templates/compiling/device_linker.h"
#include "kernel_templates/nvcc/program_run.h"

namespace warptune::kernel_templates::nvcc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kInstance = "warptune_entry";
constexpr std::string_view kReportOfEntry = "Compiling entry function '";

// A folder that is removed at the end.
class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (fs::temp_directory_path() / "warptune_nvcc_XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

tl::unexpected<model::Rejection> reject(std::string reason, model::RejectionCause cause) {
  return base::failure(model::Rejection{model::Status::kCompileFailed, std::move(reason), cause});
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "f" is the mangled name of a type, too.
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

// Whether a function is the argument of an instance. Both names are demangled. The instance's name lists the
// parameters of the function, unless the function is in a namespace. The function's own name lists them,
// unless it has C linkage.
bool is_argument(const std::string& function, bool has_c_linkage, const std::string& instance) {
  if (instance.empty()) return false;
  if (has_c_linkage) return instance.find(fmt::format("&({}(", function)) != std::string::npos;
  if (instance.find(fmt::format("&({})", function)) != std::string::npos) return true;
  int depth = 0;
  for (std::size_t at = function.size(); at-- > 0;) {
    if (function[at] == ')') ++depth;
    if (function[at] == '(' && --depth == 0)
      return instance.find(fmt::format("&{}, ", function.substr(0, at))) != std::string::npos;
  }
  return false;
}

// `-DNAME=VALUE` of NVRTC's options as a line. Empty for other options.
std::string define_of(const std::string& option) {
  if (!option.starts_with("-D") || option.size() == 2) return "";
  const std::size_t equals = option.find('=');
  const bool has_value = equals != std::string::npos;
  return fmt::format("#define {} {}\n", option.substr(2, has_value ? equals - 2 : equals),
                     has_value ? option.substr(equals + 1) : "1");
}

// Whether the shell that nvcc starts reads a word as it is.
bool is_plain(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=,:+@%").find(c) != std::string_view::npos;
  });
}

base::Result<std::vector<std::string>> command_line(const CompileRequest& request, const fs::path& folder) {
  std::vector<std::string> arguments = {find_nvcc().string(), "-cubin", "-arch=" + request.architecture,
                                        "--ptxas-options=-v"};
  if (!request.libraries.empty()) arguments.emplace_back("-rdc=true");
  for (const std::string& option : request.options) {
    if (!define_of(option).empty() || option == "-pch") continue;
    if (!is_plain(option)) return base::failure(fmt::format("nvcc cannot be given the option '{}'", option));
    arguments.push_back(option);
  }
  for (const fs::path& file : {fs::path("-o"), folder / "program.cubin", folder / "program.cu"})
    arguments.push_back(file.string());
  return arguments;
}

std::string quoted(const std::string& path) {
  std::string text = path;
  for (std::size_t at = 0; (at = text.find_first_of("\\\"", at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return text;
}

// The symbol of `&name` or `&outer::name` (Itanium C++ ABI, 5.1.2), if the machine code contains it.
std::optional<std::string> symbol_of_variable(const std::string& expression, const std::string& cubin) {
  const std::string name = expression.substr(std::min<std::size_t>(1, expression.size()));
  std::string nested;
  for (std::string part : base::split(name, ':')) {
    if (!part.empty()) nested += fmt::format("{}{}", part.size(), part);
  }
  for (const std::string& symbol : {name, fmt::format("_ZL{}", nested), fmt::format("_ZN{}E", nested)}) {
    if (cubin.find(fmt::format("{}{}{}", '\0', symbol, '\0')) != std::string::npos) return symbol;
  }
  return std::nullopt;
}

std::string file_state(const fs::path& file) {
  struct stat status {};
  std::error_code ignored;
  const fs::path real = fs::canonical(file, ignored);
  if (ignored || ::stat(real.c_str(), &status) != 0) return "none";
  return fmt::format("{} {} {}.{}", real.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

}  // namespace

fs::path find_nvcc() {
  std::vector<fs::path> folders;
  for (const std::string& include : base::cuda_include_folders())
    folders.push_back(fs::path(include).parent_path() / "bin");
  folders.emplace_back("/usr/bin");
  for (const fs::path& folder : folders) {
    if (::access((folder / "nvcc").c_str(), X_OK) == 0) return folder / "nvcc";
  }
  return {};
}

std::string identity() {
  return fmt::format("nvcc {} {}", file_state(find_nvcc()), file_state("/usr/bin/gcc"));
}

std::string nvcc_source(const CompileRequest& request) {
  std::string source;
  for (const std::string& option : request.options) source += define_of(option);
  source += fmt::format("#line 1 \"{}\"\n{}\n#line 1 \"the entries of the definition\"\n",
                        quoted(request.program_name), request.source);
  source += fmt::format("template <auto kernel, int number> __global__ void {}() {{}} ", kInstance);
  for (std::size_t i = 0; i < request.entries.size(); ++i)
    source += fmt::format("template __global__ void {}<&{}, {}>();\n", kInstance, request.entries[i], i);
  return source;
}

base::Result<std::vector<EntryCode>> find_entries(const CompileRequest& request, const std::string& report) {
  std::vector<std::string> symbols;
  for (std::size_t at = 0; (at = report.find(kReportOfEntry, at)) != std::string::npos;) {
    at += kReportOfEntry.size();
    symbols.push_back(report.substr(at, report.find('\'', at) - at));
  }
  std::vector<EntryCode> entries;
  for (std::size_t i = 0; i < request.entries.size(); ++i) {
    const std::string end = fmt::format(", {}>()", i);
    std::string instance;
    for (const std::string& symbol : symbols) {
      const std::string name = demangled(symbol);
      if (name.find(kInstance) != std::string::npos && name.ends_with(end)) instance = name;
    }
    std::optional<std::string> found;
    for (const std::string& symbol : symbols) {
      const std::string name = demangled(symbol);
      if (is_argument(name, name == symbol, instance)) found = symbol;
    }
    if (!found)
      return base::failure(fmt::format("nvcc's machine code has no kernel '{}'", request.entries[i]));
    EntryCode code;
    code.entry = request.entries[i];
    code.lowered_name = *found;
    entries.push_back(std::move(code));
  }
  return entries;
}

model::Outcome<CompiledKernel> compile(const CompileRequest& request) {
  using model::RejectionCause;
  const auto start = std::chrono::steady_clock::now();
  if (find_nvcc().empty()) {
    return reject(
        "the definition is compiled by nvcc, which no CUDA Toolkit here has; install it, or set CUDA_HOME",
        RejectionCause::kCompilerFailed);
  }
  const WorkFolder folder;
  const base::Result<std::vector<std::string>> arguments = command_line(request, folder.path());
  if (!arguments) return reject(arguments.error(), RejectionCause::kCandidate);
  if (folder.path().empty() || !(std::ofstream(folder.path() / "program.cu") << nvcc_source(request)))
    return reject("nvcc's source cannot be written", RejectionCause::kCompilerFailed);
  const ProgramRun run =
      run_program(*arguments,
                  {"PATH=" + find_nvcc().parent_path().string() + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                   "TMPDIR=" + folder.path().string(),
                   "LD_LIBRARY_PATH=" + base::environment_text(base::Variable::kLibraryPath)},
                  folder.path() / "output");
  if (run.exit_code != 0) {
    const bool by_program = run.exit_code > 0 && run.exit_code < 127 && !run.output.empty();
    return reject(
        by_program ? compiling::messages_of(run.output) : fmt::format("nvcc ended with {}", run.exit_code),
        by_program ? RejectionCause::kCandidate : RejectionCause::kCompilerFailed);
  }
  CompiledKernel compiled;
  compiled.cubin = base::read_file(folder.path() / "program.cubin");
  base::Result<std::vector<EntryCode>> entries = find_entries(request, run.output);
  if (!entries) return reject(entries.error(), RejectionCause::kCandidate);
  compiled.entries = std::move(*entries);
  for (const std::string& variable : request.variables) {
    const std::optional<std::string> symbol = symbol_of_variable(variable, compiled.cubin);
    if (!symbol)
      return reject(fmt::format("nvcc's machine code has no variable '{}'", variable),
                    RejectionCause::kCandidate);
    compiled.variables.push_back({variable, *symbol});
  }
  compiling::read_resources(run.output, compiled.entries);
  if (!request.libraries.empty()) {
    model::Outcome<std::string> linked = compiling::link_program(compiled.cubin, request, compiled.entries);
    if (!linked) return base::failure(std::move(linked.error()));
    compiled.cubin = std::move(*linked);
  }
  compiled.log = compiling::messages_of(run.output);
  compiled.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

}  // namespace warptune::kernel_templates::nvcc
