// Observes a machine. Nothing is changed: no folder is made, and no kernel is launched.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "profiling/counters/metrics.h"
#include "profiling/gpu_processes.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/doctor/machine_check.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/workers/warm/place.h"

namespace warptune::tuner::doctor {

namespace {

namespace fs = std::filesystem;

// The content of a file of /proc; empty if it cannot be read.
std::string proc_text(const fs::path& path) {
  try {
    return base::read_file(path);
  } catch (const base::Error&) {  // Without the driver, the file does not exist.
    return "";
  }
}

// The file of a library that this process has loaded, by proc_pid_maps(5). Empty if it has not.
std::string loaded_file(std::string_view name) {
  for (const std::string& line : base::split(proc_text("/proc/self/maps"), '\n')) {
    const std::size_t begin = line.find('/');
    if (begin == std::string::npos) continue;
    const fs::path file = line.substr(begin);
    if (file.filename().string().starts_with(name)) return file.string();
  }
  return "";
}

// nvJitLink's file in the first folder that has one.
std::string linker_file(const std::vector<std::string>& folders) {
  for (const std::string& place : folders) {
    const fs::path folder(place);
    for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}) {
      if (std::error_code ignored; fs::exists(folder / name, ignored)) return (folder / name).string();
    }
  }
  return "";
}

// Whether this process has CAP_SYS_ADMIN, by the mask of capabilities(7) in /proc/self/status.
bool is_administrator() {
  constexpr std::string_view kName = "CapEff:";
  constexpr unsigned kSysAdmin = 21;
  for (const std::string& line : base::split(proc_text("/proc/self/status"), '\n')) {
    if (!line.starts_with(kName)) continue;
    const std::uint64_t mask = std::strtoull(line.c_str() + kName.size(), nullptr, 16);
    return ((mask >> kSysAdmin) & 1U) != 0;
  }
  return ::geteuid() == 0;
}

// Whether a folder can be written, or made below the nearest folder that exists.
bool is_writable(fs::path folder) {
  std::error_code ignored;
  folder = fs::absolute(folder, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, ignored) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

void observe_compiler(MachineObservations& observed) {
  try {
    observed.nvrtc_version = kernel_templates::nvrtc_version();
    observed.architectures = kernel_templates::nvrtc_architectures();
  } catch (const base::MachineError& error) {
    observed.nvrtc_problem = std::string(base::first_line(error.what()));
  }
}

void observe_counters(MachineObservations& observed) {
  try {
    profiling::counters::require_cupti();
    // Without a driver, CUPTI 13.2 of NVIDIA's wheels crashes in this call, and later versions report errors.
    if (observed.gpus.gpus.empty()) return;
    // The result, which depends on the chip and the metric, is not needed.
    static_cast<void>(profiling::counters::plan_passes("GH100", {"gpu__time_duration.sum"}));
  } catch (const base::Error& error) {
    observed.cupti_problem = std::string(base::first_line(error.what()));
  }
}

}  // namespace

MachineObservations observe_machine(std::vector<FolderObservation> folders) {
  MachineObservations observed;
  // First, because later a worker of this program has a context on the GPU.
  observed.processes = profiling::gpu_process_counts();
  observed.gpus = gpus::list_local_gpus();
  observe_compiler(observed);
  observed.cuda_headers = !base::cuda_include_folders().empty();
  observed.cuda_folders = base::cuda_library_folders();
  observed.linker_file = linker_file(observed.cuda_folders);
  observe_counters(observed);
  observed.nvrtc_file = loaded_file("libnvrtc.so");
  observed.cupti_file = loaded_file("libcupti.so");
  observed.counters_restricted = restricts_counters(proc_text("/proc/driver/nvidia/params"));
  observed.administrator = is_administrator();
  observed.sandbox_problem = confinement::sandbox_problem();
  observed.warm_pools = workers::warm::running_pools();
  for (FolderObservation& folder : folders) folder.writable = is_writable(folder.path);
  observed.folders = std::move(folders);
  return observed;
}

}  // namespace warptune::tuner::doctor
