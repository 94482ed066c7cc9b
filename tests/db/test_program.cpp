#include "tests/db/test_program.h"

#include <nvrtc.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>

#include "base/shared_library.h"

namespace warptune::db::testing {

ProgramResult run_command(const std::string& command) {
  ProgramResult result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> piece{};
  for (std::size_t got = 1; got > 0;) {
    got = ::fread(piece.data(), 1, piece.size(), pipe);
    result.output.append(piece.data(), got);
  }
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

bool has_program(const std::string& name) { return run_command("command -v " + name).code == 0; }

std::string nvrtc_errors(const std::string& source) {
  const base::SharedLibrary library({"libnvrtc.so.13", "libnvrtc.so"}, base::cuda_library_folders(), "");
  const auto create = library.function<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram");
  const auto compile = library.function<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram");
  const auto log_size = library.function<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize");
  const auto get_log = library.function<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog");
  const auto destroy = library.function<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram");
  nvrtcProgram program = nullptr;
  if (create(&program, source.c_str(), "test.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return "no program";
  const char* options[] = {"--gpu-architecture=sm_90", "-std=c++17"};
  const nvrtcResult result = compile(program, 2, options);
  std::size_t size = 0;
  log_size(program, &size);
  std::string log(size, '\0');
  get_log(program, log.data());
  log.resize(size > 0 ? size - 1 : 0);  // Without its terminating null.
  destroy(&program);
  return result != NVRTC_SUCCESS && log.empty() ? "failed without a log" : log;
}

}  // namespace warptune::db::testing
