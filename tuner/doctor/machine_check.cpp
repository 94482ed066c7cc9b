#include "tuner/doctor/machine_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warptune::tuner::doctor {

std::optional<bool> restricts_counters(const std::string& driver_parameters) {
  constexpr std::string_view kName = "RmProfilingAdminOnly:";
  for (const std::string& line : base::split(driver_parameters, '\n')) {
    if (line.starts_with(kName)) return base::trim(std::string_view(line).substr(kName.size())) != "0";
  }
  return std::nullopt;
}

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kWarning:
      return "warning";
    case Health::kFault:
      return "fault";
  }
  return "";
}

namespace {

MachineFact gpu_fact(const MachineObservations& observed) {
  if (observed.gpus.gpus.empty()) {
    return {"GPU", Health::kFault, observed.gpus.reason,
            "install the driver, or make a GPU visible (CUDA_VISIBLE_DEVICES, or the container's options)"};
  }
  std::vector<std::string> names;
  for (const model::GpuDescription& gpu : observed.gpus.gpus)
    names.push_back(fmt::format("{} ({})", gpu.name, gpu.architecture()));
  return {"GPU", Health::kGood, fmt::format("{}", fmt::join(names, ", ")), ""};
}

std::string loaded_from(const std::string& file) {
  return file.empty() ? "" : fmt::format(", loaded from {}", file);
}

MachineFact compiler_fact(const MachineObservations& observed) {
  constexpr const char* kInstall =
      "install the CUDA Toolkit, or name its folder in WARPTUNE_CUDA_PATH, or install NVIDIA's wheels beside "
      "the Python package: pip install warptune[cuda]";
  if (!observed.nvrtc_version) return {"NVRTC", Health::kFault, observed.nvrtc_problem, kInstall};
  std::string text =
      fmt::format("version {}.{}", *observed.nvrtc_version / 1000, *observed.nvrtc_version % 1000 / 10);
  if (!observed.architectures.empty())
    text +=
        fmt::format(", for sm_{} to sm_{}", observed.architectures.front(), observed.architectures.back());
  text += loaded_from(observed.nvrtc_file);
  for (const model::GpuDescription& gpu : observed.gpus.gpus) {
    const int capability = gpu.compute_major * 10 + gpu.compute_minor;
    const auto& known = observed.architectures;
    if (!known.empty() && std::find(known.begin(), known.end(), capability) == known.end())
      return {"NVRTC", Health::kFault, fmt::format("{}, but not for {}", text, gpu.architecture()),
              "install a CUDA Toolkit that knows this GPU"};
  }
  return {"NVRTC", Health::kGood, text, ""};
}

// Only device libraries need nvJitLink, so there is no warning if it is missing.
MachineFact linker_fact(const MachineObservations& observed) {
  return {"nvJitLink", Health::kGood,
          observed.linker_file.empty() ? "not in the CUDA folders: it is only needed to link device libraries"
                                       : observed.linker_file,
          ""};
}

MachineFact folders_fact(const MachineObservations& observed) {
  if (observed.cuda_folders.empty())
    return {"CUDA folders", Health::kGood, "none found: only the loader's own folders are searched", ""};
  return {"CUDA folders", Health::kGood,
          fmt::format("searched in this order: {}, then the loader's own folders",
                      fmt::join(observed.cuda_folders, ", ")),
          ""};
}

MachineFact headers_fact(const MachineObservations& observed) {
  if (observed.cuda_headers) return {"CUDA headers", Health::kGood, "found", ""};
  return {"CUDA headers", Health::kWarning, "not found: kernels that include <cuda_fp16.h> do not compile",
          "install the headers of the CUDA Toolkit, or name its folder in WARPTUNE_CUDA_PATH"};
}

MachineFact counters_fact(const MachineObservations& observed) {
  if (!observed.cupti_problem.empty())
    return {"counters", Health::kWarning, observed.cupti_problem,
            "install CUPTI of the CUDA Toolkit; without it, times are measured and nothing is counted"};
  if (observed.counters_restricted.value_or(false) && !observed.administrator)
    return {"counters", Health::kWarning, "CUPTI loads, but only administrators may read counters",
            "run as root or with CAP_SYS_ADMIN, or load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0"};
  return {"counters", Health::kGood,
          fmt::format(
              "{}{}",
              observed.counters_restricted ? "CUPTI loads, and this user may read counters" : "CUPTI loads",
              loaded_from(observed.cupti_file)),
          ""};
}

std::optional<MachineFact> mig_fact(const MachineObservations& observed) {
  const auto& gpus = observed.gpus.gpus;
  if (gpus.empty()) return std::nullopt;
  if (std::none_of(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.mig; }))
    return MachineFact{"MIG", Health::kGood, "off", ""};
  return MachineFact{"MIG", Health::kWarning,
                     "on: results are those of a part of the GPU, and counters may fail",
                     "turn MIG off to tune for the whole GPU (nvidia-smi -mig 0)"};
}

std::optional<MachineFact> processes_fact(const MachineObservations& observed) {
  if (observed.gpus.gpus.empty()) return std::nullopt;
  std::vector<std::string> busy;
  bool known = false;
  for (std::size_t i = 0; i < observed.processes.size(); ++i) {
    known = known || observed.processes[i].has_value();
    const std::size_t count = observed.processes[i].value_or(0);
    if (count > 0) busy.push_back(fmt::format("{} on GPU {}", count, i));
  }
  if (!known)
    return MachineFact{"other processes", Health::kWarning, "unknown: NVML does not report them",
                       "make sure that nothing else uses the GPU while you tune"};
  if (busy.empty()) return MachineFact{"other processes", Health::kGood, "none", ""};
  return MachineFact{"other processes", Health::kWarning,
                     fmt::format("{}: times would be disturbed", fmt::join(busy, ", ")),
                     "end them, or choose another GPU with --device (nvidia-smi lists them)"};
}

MachineFact sandbox_fact(const MachineObservations& observed) {
  if (observed.sandbox_problem.empty())
    return {"sandbox", Health::kGood, "compile workers are confined (Landlock, seccomp)", ""};
  return {"sandbox", Health::kWarning, observed.sandbox_problem,
          "use Linux 5.13 or newer with Landlock, and allow it in the container"};
}

MachineFact warm_workers_fact(const MachineObservations& observed) {
  if (observed.warm_pools.empty()) return {"warm workers", Health::kGood, "no process in the background", ""};
  return {"warm workers", Health::kGood,
          fmt::format("in the background: process {}; `kill` ends it",
                      fmt::join(observed.warm_pools, ", process ")),
          ""};
}

MachineFact folder_fact(const FolderObservation& folder) {
  if (folder.writable) return {folder.purpose, Health::kGood, folder.path.string(), ""};
  const bool needed = folder.purpose == "database";
  return {folder.purpose, needed ? Health::kFault : Health::kWarning,
          fmt::format("{} cannot be written", folder.path.string()),
          needed ? "make the folder writable, or name another file with --db"
                 : "make the folder writable, or name another one with --compile-cache"};
}

}  // namespace

std::vector<MachineFact> judge(const MachineObservations& observed) {
  std::vector<MachineFact> facts = {gpu_fact(observed),     compiler_fact(observed), linker_fact(observed),
                                    folders_fact(observed), headers_fact(observed),  counters_fact(observed)};
  for (const auto& fact : {mig_fact(observed), processes_fact(observed)}) {
    if (fact) facts.push_back(*fact);
  }
  facts.push_back(sandbox_fact(observed));
  facts.push_back(warm_workers_fact(observed));
  for (const FolderObservation& folder : observed.folders) facts.push_back(folder_fact(folder));
  return facts;
}

bool can_run(const std::vector<MachineFact>& facts) {
  return std::none_of(facts.begin(), facts.end(),
                      [](const MachineFact& fact) { return fact.health == Health::kFault; });
}

}  // namespace warptune::tuner::doctor
