#include "base/environment.h"

#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace warptune::base {

namespace {

constexpr VariableInfo kVariables[] = {
    {Variable::kDataHome, "XDG_DATA_HOME",
     "The database is warptune/warptune.db below this folder. Default: $HOME/.local/share."},
    {Variable::kCacheHome, "XDG_CACHE_HOME",
     "Compiled code is kept in warptune/compiled below this folder. Default: $HOME/.cache."},
    {Variable::kHome, "HOME", "The home folder. The two defaults above are in it."},
    {Variable::kShare, "WARPTUNE_SHARE",
     "The folder of the shipped kernels, recordings and experiments. Default: share/warptune beside the "
     "program, or beside the program's folder."},
    {Variable::kSystemDatabase, "WARPTUNE_SYSTEM_DB",
     "A second database that answers come from, after the user's. Nothing writes it."},
    {Variable::kFleetStore, "WARPTUNE_STORE",
     "The address of the store of campaigns. It is used if --store is not given."},
    {Variable::kCudaPath, "WARPTUNE_CUDA_PATH",
     "A CUDA Toolkit. NVRTC, CUPTI, nvJitLink, the CUDA headers and compute-sanitizer are looked for here "
     "first."},
    {Variable::kCudaHome, "CUDA_HOME", "A CUDA Toolkit that is looked at after WARPTUNE_CUDA_PATH."},
    {Variable::kToolkitPath, "CUDA_PATH", "A CUDA Toolkit that is looked at after CUDA_HOME."},
    {Variable::kVisibleDevices, "CUDA_VISIBLE_DEVICES",
     "The GPUs that CUDA shows to warptune, as for every CUDA program."},
    {Variable::kLibraryPath, "LD_LIBRARY_PATH",
     "Folders of libraries, as for every program. Compile workers may read them."},
    {Variable::kProgramPath, "PATH",
     "Folders of programs. A program that tunes through libwarptune looks for warptune here last. `profile "
     "--sanitize` looks for compute-sanitizer here last."},
    {Variable::kRecordingMib, "WARPTUNE_RECORDING_MIB",
     "The largest recording that is read, in MiB. A larger one is refused."},
    {Variable::kWarmWorkers, "WARPTUNE_WARM_WORKERS",
     "For how many seconds compile workers wait for the next session of their definition, in a process in "
     "the "
     "background. Default: 0, they end with their session."},
    {Variable::kRuntimeFolder, "XDG_RUNTIME_DIR",
     "The socket of the warm compile workers is in warptune/ below this folder. Default: warm-workers/ "
     "beside the folder of compiled code."},
    {Variable::kNoColour, "NO_COLOR", "If it is not empty, nothing is printed in colour."},
    {Variable::kTerminal, "TERM", "With the value dumb, nothing is printed in colour."},
    {Variable::kCxx, "CXX", "The C++ compiler with which `check --trust` runs kernels. Default: c++."},
    // A profiler sets the next two for a program. A survey does not take them from another profiler.
    {Variable::kCudaInjection, "CUDA_INJECTION64_PATH", ""},
    {Variable::kNvtxInjection, "NVTX_INJECTION64_PATH", ""},
    {Variable::kLogLevel, "WARPTUNE_LOG_LEVEL", ""},  // A coordinator sets it for its workers.
    {Variable::kWorker, "WARPTUNE_WORKER", ""},       // The path of the worker's program; tests set it.
};

}  // namespace

std::span<const VariableInfo> environment_variables() { return kVariables; }

const char* name_of(Variable variable) { return kVariables[static_cast<std::size_t>(variable)].name; }

std::optional<std::string> environment(Variable variable) {
  const char* const value = std::getenv(name_of(variable));
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string environment_text(Variable variable) { return environment(variable).value_or(""); }

bool shows_colour(std::FILE* stream) {
  return environment_text(Variable::kNoColour).empty() && environment_text(Variable::kTerminal) != "dumb" &&
         ::isatty(::fileno(stream)) != 0;
}

}  // namespace warptune::base
