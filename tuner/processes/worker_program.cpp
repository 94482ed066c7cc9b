#include "tuner/processes/worker_program.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "kernel_templates/compile_cache.h"
#include "tuner/confinement/sanitized.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace warptune::tuner::processes {

namespace {

// The arguments of the thread's `ForeignWorkers`; empty while the thread has no such object.
thread_local std::string foreign_program;
thread_local std::vector<std::string> foreign_environment;
thread_local GpuLoop gpu_loop_of_thread;

std::vector<std::string> whole_environment() {
  return foreign_program.empty() ? copy_of_environment() : foreign_environment;
}

// The environment variables that NVRTC reads, those that say where the toolkit is, and warptune's own.
std::vector<std::string> compiler_environment(const confinement::Sandbox& sandbox) {
  std::vector<std::string> kept;
  for (std::string& variable : whole_environment()) {
    bool keep = kernel_templates::is_compiler_variable(variable);
    for (const std::string_view prefix : {"CUDA_HOME=", "CUDA_PATH=", "LD_LIBRARY_PATH=", "WARPTUNE_"})
      keep = keep || variable.starts_with(prefix);
    if (confinement::kSanitized) keep = keep || variable.find("SAN_OPTIONS=") != std::string::npos;
    if (keep) kept.push_back(std::move(variable));
  }
  if (!sandbox.scratch.empty()) kept.push_back("TMPDIR=" + sandbox.scratch.string());
  return kept;
}

// Whether the log level shows anything of a compile worker. It reports errors to the coordinator, not to the
// log.
bool logs_details() {
  const std::string level = base::environment_text(base::Variable::kLogLevel);
  return level == "trace" || level == "debug" || level == "info";
}

std::string& chosen_program() {
  static std::string program;
  return program;
}

}  // namespace

std::vector<std::string> copy_of_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

ForeignWorkers::ForeignWorkers(std::string program, std::vector<std::string> environment, GpuLoop gpu_loop) {
  foreign_program = std::move(program);
  foreign_environment = std::move(environment);
  gpu_loop_of_thread = std::move(gpu_loop);
}

ForeignWorkers::~ForeignWorkers() {
  foreign_program.clear();
  foreign_environment.clear();
  gpu_loop_of_thread = nullptr;
}

std::string worker_program() {
  if (!foreign_program.empty()) return foreign_program;
  std::string program = base::environment_text(base::Variable::kWorker);
  if (program.empty()) program = chosen_program();
  return program.empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : program;
}

void set_worker_program(const std::string& path) { chosen_program() = path; }

const GpuLoop& foreign_gpu_loop() { return gpu_loop_of_thread; }

std::vector<std::string> worker_environment(const confinement::Sandbox* sandbox) {
  return sandbox != nullptr ? compiler_environment(*sandbox) : whole_environment();
}

bool worker_logs(const confinement::Sandbox* sandbox) {
  return foreign_program.empty() && (sandbox == nullptr || logs_details());
}

}  // namespace warptune::tuner::processes
