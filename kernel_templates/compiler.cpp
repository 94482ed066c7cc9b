#include "kernel_templates/compiler.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/compiling/assembler_report.h"
#include "kernel_templates/compiling/device_linker.h"
#include "kernel_templates/compiling/include_digest.h"
#include "kernel_templates/compiling/nvrtc.h"
#include "kernel_templates/compiling/nvrtc_version.h"
#include "kernel_templates/compiling/precompiled_headers.h"
#include "kernel_templates/nvcc/nvcc_compiler.h"

namespace warptune::kernel_templates {

namespace {

using compiling::messages_of;
using compiling::Nvrtc;

std::string program_log(const Nvrtc& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.log_size(program, &size) != NVRTC_SUCCESS || size <= 1) return "";
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != NVRTC_SUCCESS) return "";
  log.resize(log.find('\0'));  // NVRTC's size includes one or two terminating zeros.
  return log;
}

// Whether the front end or the assembler reports that an allocation failed.
bool reports_out_of_memory(const std::string& messages) {
  return messages.find("catastrophic error: out of memory") != std::string::npos ||
         messages.find("Memory allocation failure") != std::string::npos;
}

// The memory that the process may allocate, in bytes; 0 if there is no limit.
std::uint64_t data_limit_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

// Why NVRTC rejected a program: the messages of its front end and its assembler, or else its error code.
model::Rejection rejection_of(const Nvrtc& nvrtc, nvrtcResult result, const std::string& log) {
  using model::RejectionCause;
  const std::string messages = messages_of(log);
  if (result == NVRTC_ERROR_OUT_OF_MEMORY || reports_out_of_memory(messages))
    return out_of_memory(data_limit_bytes());
  if (result == NVRTC_ERROR_COMPILATION && !messages.empty())
    return {model::Status::kCompileFailed, messages, RejectionCause::kCandidate};
  if (const auto exceeded = compiling::exceeded_shared_memory(log))
    return {model::Status::kCompileFailed, *exceeded, RejectionCause::kCandidate};
  const bool refuses_option = result == NVRTC_ERROR_INVALID_OPTION;
  return {model::Status::kCompileFailed,
          std::string(nvrtc.error_string(result)) + (messages.empty() ? "" : "\n" + messages),
          refuses_option ? RejectionCause::kCandidate : RejectionCause::kCompilerFailed};
}

// Earlier versions keep no machine code between compiles, and refuse the option that forbids it.
constexpr int kFirstVersionWithCache = 12090;

std::vector<std::string> options_of(const CompileRequest& request) {
  std::vector<std::string> options = {"--gpu-architecture=" + request.architecture, "--ptxas-options=-v"};
  if (nvrtc_version() >= kFirstVersionWithCache) options.emplace_back("-no-cache");
  if (!request.libraries.empty()) options.emplace_back("-rdc=true");
  const std::vector<std::string> given = compiling::pch_options(request.options);
  options.insert(options.end(), given.begin(), given.end());
  return options;
}

void create_program(const Nvrtc& nvrtc, compiling::Program& program, const CompileRequest& request) {
  nvrtc.check(nvrtc.create_program(program.out(), request.source.c_str(), request.program_name.c_str(), 0,
                                   nullptr, nullptr),
              "nvrtcCreateProgram");
  for (const auto* names : {&request.entries, &request.variables}) {
    for (const std::string& name : *names)
      nvrtc.check(nvrtc.add_name_expression(program.get(), name.c_str()), "nvrtcAddNameExpression");
  }
}

// The machine code of a compiled program, and the names of its entries and variables in it.
CompiledKernel read_code(const Nvrtc& nvrtc, const compiling::Program& program,
                         const CompileRequest& request) {
  CompiledKernel compiled;
  std::size_t size = 0;
  nvrtc.check(nvrtc.cubin_size(program.get(), &size), "nvrtcGetCUBINSize");
  compiled.cubin.resize(size);
  nvrtc.check(nvrtc.cubin(program.get(), compiled.cubin.data()), "nvrtcGetCUBIN");
  const auto lowered = [&](const std::string& name) {
    const char* symbol = nullptr;
    nvrtc.check(nvrtc.lowered_name(program.get(), name.c_str(), &symbol), "nvrtcGetLoweredName");
    return std::string(symbol);
  };
  for (const std::string& entry : request.entries) {
    EntryCode code;
    code.entry = entry;
    code.lowered_name = lowered(entry);
    compiled.entries.push_back(code);
  }
  for (const std::string& variable : request.variables)
    compiled.variables.push_back({variable, lowered(variable)});
  return compiled;
}

struct NvrtcOutcome {
  model::Outcome<CompiledKernel> compiled;
  bool refused_by_front_end = false;  // The text is not a correct program.
};

NvrtcOutcome compile_with_nvrtc(const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Nvrtc& nvrtc = Nvrtc::get();
  compiling::Program program;
  create_program(nvrtc, program, request);
  const std::vector<std::string> options = options_of(request);
  std::vector<const char*> option_texts;
  option_texts.reserve(options.size());
  for (const std::string& option : options) option_texts.push_back(option.c_str());

  const nvrtcResult result =
      nvrtc.compile_program(program.get(), static_cast<int>(option_texts.size()), option_texts.data());
  if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION && compiling::uses_pch(options)) {
    CompileRequest plain = request;  // The precompiled headers may be the cause.
    std::erase(plain.options, compiling::kPchOption);
    return compile_with_nvrtc(plain);
  }
  compiling::grow_pch_heap_if_needed(nvrtc, program.get(), options);
  const std::string log = program_log(nvrtc, program.get());
  if (result != NVRTC_SUCCESS) {
    // The messages of the assembler begin otherwise.
    const bool by_front_end = result == NVRTC_ERROR_COMPILATION && log.find("error: ") != std::string::npos;
    return {base::failure(rejection_of(nvrtc, result, log)), by_front_end};
  }

  CompiledKernel compiled = read_code(nvrtc, program, request);
  compiling::read_resources(log, compiled.entries);
  if (!request.libraries.empty()) {
    model::Outcome<std::string> linked = compiling::link_program(compiled.cubin, request, compiled.entries);
    if (!linked) return {base::failure(std::move(linked.error()))};
    compiled.cubin = std::move(*linked);
  }
  compiled.log = compiling::messages_of(log);
  compiled.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return {std::move(compiled)};
}

// NVRTC reads its own declarations of CUDA C++ before each program. With an option of CUDA 12.4 it omits
// those of textures, surfaces, launches from a kernel and the types of the runtime API (NVRTC 13.0,
// "Supported Compile Options"). A small program takes about four fifths of the time. The machine code is the
// same, because a request that allows it has no text that could ask in an `#ifdef` for what is omitted. A
// program that needs something omitted, such as a texture, does not compile, so it is compiled again with all
// declarations. This class remembers the files of such programs.
class OmittedDeclarations {
 public:
  static constexpr const char* kOption = "-minimal";

  // Whether to compile without the declarations first. Programs with device libraries and those with
  // precompiled headers need them.
  bool may_compile(const CompileRequest& request) {
    constexpr int kFirstVersion = 12040;
    const std::vector<std::string>& options = request.options;
    if (!request.may_omit_declarations || !request.libraries.empty() || compiling::uses_pch(options) ||
        nvrtc_version() < kFirstVersion)
      return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    return kept_.count(request.program_name) == 0 && !base::contains(options, kOption) &&
           !base::contains(options, "--minimal");
  }

  // Programs of this file need all declarations.
  void keep_for(const std::string& program_name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.insert(program_name);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> kept_;
};

}  // namespace

model::Rejection out_of_memory(std::uint64_t bytes) {
  const std::string limit = bytes == 0 ? "the available memory" : fmt::format("{} MiB", bytes >> 20);
  return {model::Status::kCompileFailed, "the compiler needs more than " + limit,
          model::RejectionCause::kOutOfMemory};
}

const EntryCode& CompiledKernel::find_entry(const std::string& entry) const {
  for (const EntryCode& code : entries) {
    if (code.entry == entry) return code;
  }
  throw base::InternalError(fmt::format("no entry '{}' was compiled", entry));
}

const std::string& CompiledKernel::find_variable(const std::string& variable) const {
  for (const VariableCode& code : variables) {
    if (code.variable == variable) return code.lowered_name;
  }
  throw base::InternalError(fmt::format("no variable '{}' was compiled", variable));
}

model::Outcome<CompiledKernel> compile(const CompileRequest& request) {
  if (request.compiler == kNvcc) return nvcc::compile(request);
  static OmittedDeclarations omitted;
  if (!omitted.may_compile(request)) return compile_with_nvrtc(request).compiled;
  CompileRequest smaller = request;
  smaller.options.emplace_back(OmittedDeclarations::kOption);
  NvrtcOutcome first = compile_with_nvrtc(smaller);
  if (!first.refused_by_front_end) return std::move(first.compiled);
  NvrtcOutcome complete = compile_with_nvrtc(request);
  if (complete.compiled) omitted.keep_for(request.program_name);
  return std::move(complete.compiled);
}

std::filesystem::path find_nvcc() { return nvcc::find_nvcc(); }

int nvrtc_version() {
  const Nvrtc& nvrtc = Nvrtc::get();
  int major = 0;
  int minor = 0;
  nvrtc.check(nvrtc.version(&major, &minor), "nvrtcVersion");
  return major * 1000 + minor * 10;
}

std::string nvrtc_identity() { return compiling::nvrtc_file_identity(); }

int remembered_nvrtc_version() { return compiling::installed_nvrtc_version(); }

std::vector<int> nvrtc_architectures() {
  const Nvrtc& nvrtc = Nvrtc::get();
  int count = 0;
  nvrtc.check(nvrtc.architecture_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> architectures(static_cast<std::size_t>(count));
  nvrtc.check(nvrtc.architectures(architectures.data()), "nvrtcGetSupportedArchs");
  return architectures;
}

std::optional<model::Rejection> compile_problem(CompileRequest request) {
  request.options.emplace_back("-G");  // NVRTC and nvcc know it.
  if (compile(request)) return std::nullopt;
  request.options.pop_back();
  model::Outcome<CompiledKernel> optimised = compile(request);
  return optimised ? std::nullopt : std::optional(std::move(optimised.error()));
}

std::vector<std::filesystem::path> folders_read_by(const CompileRequest& request) {
  namespace fs = std::filesystem;
  const compiling::IncludeOptions options = compiling::include_options(request.options);
  std::vector<fs::path> folders = options.folders;
  folders.insert(folders.end(), request.readable_folders.begin(), request.readable_folders.end());
  folders.push_back(fs::path(request.program_name).parent_path());
  for (const std::string& header : options.headers) folders.push_back(fs::path(header).parent_path());
  for (fs::path& folder : folders) folder = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

}  // namespace warptune::kernel_templates
