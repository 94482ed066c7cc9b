#include "kernel_templates/compiler.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/detail/nvrtc.h"
#include "kernel_templates/detail/precompiled_headers.h"

namespace warptune::kernel_templates {

namespace {

using detail::Nvrtc;

std::string program_log(const Nvrtc& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.log_size(program, &size) != NVRTC_SUCCESS || size <= 1) return "";
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) != NVRTC_SUCCESS) return "";
  log.resize(log.find('\0'));  // NVRTC counts one or two terminators.
  return log;
}

// The integer that stands before `unit` in a line such as "Used 42 registers, used 1 barriers, 128 bytes
// smem".
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return 0;
  std::size_t start = at;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  return std::atoll(std::string(line.substr(start, at - start)).c_str());
}

// What follows `marker` in a line, up to the next blank or quote; empty when the line has no marker.
std::string symbol_after(const std::string& line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  if (at == std::string::npos) return "";
  const std::size_t start = at + marker.size();
  return line.substr(start, line.find_first_of(" '", start) - start);
}

// Reads the assembler's report (`--ptxas-options=-v`) into the entries, matched by symbol. Functions that are
// not inlined have properties of their own behind those of the entry; an entry's stack holds theirs.
void read_resources(const std::string& log, std::vector<EntryCode>& entries) {
  EntryCode* current = nullptr;
  for (const std::string& line : base::split(log, '\n')) {
    std::string symbol = symbol_after(line, "Compiling entry function '");
    if (symbol.empty()) symbol = symbol_after(line, "Function properties for ");
    if (!symbol.empty()) {
      current = nullptr;
      for (EntryCode& entry : entries) {
        if (entry.lowered_name == symbol) current = &entry;
      }
    }
    if (current == nullptr) continue;
    if (line.find("bytes stack frame") != std::string::npos) {
      current->local_bytes = number_before(line, " bytes stack frame");
      current->spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find(" registers") != std::string::npos) {
      current->registers_per_thread = number_before(line, " registers");
      current->static_shared_bytes = number_before(line, " bytes smem");
    }
  }
}

// The log without the assembler's report and its blank lines: what a person needs.
std::string messages_of(const std::string& log) {
  std::string messages;
  for (const std::string& line : base::split(log, '\n')) {
    const bool report =
        line.find("ptxas info") != std::string::npos || line.find("bytes stack frame") != std::string::npos;
    if (report || base::trim(line).empty()) continue;
    messages += (messages.empty() ? "" : "\n") + line;
  }
  return messages;
}

// What the front end and the assembler say at their end when an allocation fails.
bool tells_of_memory(const std::string& messages) {
  return messages.find("catastrophic error: out of memory") != std::string::npos ||
         messages.find("Memory allocation failure") != std::string::npos;
}

// What the process may allocate; 0: no limit.
std::uint64_t data_limit_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

constexpr std::string_view kTooMuchMemory = "the compiler needs more than ";

}  // namespace

search::Rejection out_of_memory(std::uint64_t bytes) {
  const std::string limit = bytes == 0 ? "the memory there is" : fmt::format("{} MiB", bytes >> 20);
  return {search::Status::kCompileFailed, std::string(kTooMuchMemory) + limit};
}

bool is_out_of_memory(const search::Rejection& rejection) {
  return rejection.status == search::Status::kCompileFailed && rejection.reason.starts_with(kTooMuchMemory);
}

const EntryCode& CompiledKernel::find_entry(const std::string& entry) const {
  for (const EntryCode& code : entries) {
    if (code.entry == entry) return code;
  }
  throw base::InternalError(fmt::format("no entry '{}' was compiled", entry));
}

search::Outcome<CompiledKernel> compile(const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Nvrtc& nvrtc = Nvrtc::get();
  detail::Program program;
  nvrtc.check(nvrtc.create_program(program.out(), request.source.c_str(), request.program_name.c_str(), 0,
                                   nullptr, nullptr),
              "nvrtcCreateProgram");
  for (const std::string& entry : request.entries) {
    nvrtc.check(nvrtc.add_name_expression(program.get(), entry.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<std::string> options = {"--gpu-architecture=" + request.architecture, "--ptxas-options=-v",
                                      "-no-cache"};
  const std::vector<std::string> given = detail::pch_options(request.options);
  options.insert(options.end(), given.begin(), given.end());
  std::vector<const char*> option_texts;
  option_texts.reserve(options.size());
  for (const std::string& option : options) option_texts.push_back(option.c_str());

  const nvrtcResult result =
      nvrtc.compile_program(program.get(), static_cast<int>(option_texts.size()), option_texts.data());
  if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION && detail::wants_pch(options)) {
    CompileRequest plain = request;  // Precompiled headers may be what is wrong.
    std::erase(plain.options, detail::kPchOption);
    return compile(plain);
  }
  detail::follow_pch(nvrtc, program.get(), options);
  const std::string log = program_log(nvrtc, program.get());
  if (result != NVRTC_SUCCESS) {
    const std::string messages = messages_of(log);
    if (result == NVRTC_ERROR_OUT_OF_MEMORY || tells_of_memory(messages))
      return base::failure(out_of_memory(data_limit_bytes()));
    std::string reason = messages;
    if (messages.empty() || result != NVRTC_ERROR_COMPILATION)
      reason = std::string(nvrtc.error_string(result)) + (messages.empty() ? "" : "\n" + messages);
    return base::failure(search::Rejection{search::Status::kCompileFailed, reason});
  }

  CompiledKernel compiled;
  std::size_t size = 0;
  nvrtc.check(nvrtc.cubin_size(program.get(), &size), "nvrtcGetCUBINSize");
  compiled.cubin.resize(size);
  nvrtc.check(nvrtc.cubin(program.get(), compiled.cubin.data()), "nvrtcGetCUBIN");
  for (const std::string& entry : request.entries) {
    const char* lowered = nullptr;
    nvrtc.check(nvrtc.lowered_name(program.get(), entry.c_str(), &lowered), "nvrtcGetLoweredName");
    EntryCode code;
    code.entry = entry;
    code.lowered_name = lowered;
    compiled.entries.push_back(code);
  }
  read_resources(log, compiled.entries);
  compiled.log = messages_of(log);
  compiled.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

int nvrtc_version() {
  const Nvrtc& nvrtc = Nvrtc::get();
  int major = 0;
  int minor = 0;
  nvrtc.check(nvrtc.version(&major, &minor), "nvrtcVersion");
  return major * 1000 + minor * 10;
}

std::vector<int> nvrtc_architectures() {
  const Nvrtc& nvrtc = Nvrtc::get();
  int count = 0;
  nvrtc.check(nvrtc.architecture_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> architectures(static_cast<std::size_t>(count));
  nvrtc.check(nvrtc.architectures(architectures.data()), "nvrtcGetSupportedArchs");
  return architectures;
}

}  // namespace warptune::kernel_templates
