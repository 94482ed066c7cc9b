// The best known configuration of a kernel, loaded into this process.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library/loaded_code.h"
#include "library/open_library.h"
#include "library/selection.h"
#include "library/tuned_kernel.h"
#include "model/value.h"
#include "profiling/program_memory.h"
#include "python/native/kernel_source.h"

namespace warptune::python::native::calls {

/// Code in the primary context of a device, with everything that it refers to. When Python drops the last
/// reference to it, launches may still be pending and CUDA graphs may contain it. So it stays loaded until
/// the process ends. All `LoadedKernel`s with the same code share it.
class ResidentCode {
 public:
  /// Throws as `library::LoadedCode` does.
  ResidentCode(const std::string& name, const kernel_templates::KernelDefinition& definition,
               const model::GpuDescription& gpu, int ordinal, const model::NamedValues& problem,
               const model::NamedValues& configuration, bool in_background);

  library::LoadedCode& code() { return *code_; }
  profiling::StreamWorkspaces& workspaces() { return workspaces_; }

 private:
  library::OpenLibrary library_;  ///< Opened without a database. Only its compile cache is used.
  library::TunedKernel kernel_;
  library::Selection selection_;
  std::unique_ptr<library::LoadedCode> code_;
  profiling::StreamWorkspaces workspaces_;
};

/// The object that Python gets: code, and how its configuration was found.
class LoadedKernel {
 public:
  struct Found {
    std::string kernel;  ///< The name of the definition.
    model::NamedValues problem;
    model::NamedValues configuration;
    std::string match;  ///< JSON, as `warptune query` prints it.
    int device = 0;
  };
  LoadedKernel(Found found, ResidentCode& code);

  const Found& found() const { return found_; }
  ResidentCode& resident() const { return code_; }
  /// The arguments that calls pass, in order.
  const std::vector<profiling::ExpectedArgument>& expected() const { return expected_; }
  /// The indices of the arguments whose value does not follow from the problem.
  const std::vector<std::size_t>& free() const { return free_; }
  /// The indices of the buffers.
  const std::vector<std::size_t>& buffers() const { return buffers_; }
  /// Throws `base::MachineError` in a child that was forked after the kernel was loaded.
  void check_process() const;

 private:
  Found found_;
  ResidentCode& code_;
  std::vector<profiling::ExpectedArgument> expected_;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> buffers_;
  unsigned generation_;
};

/// The arguments of `load`.
struct LoadRequest {
  /// Without a value: the device of the thread's current context, or the first device if there is none.
  std::optional<int> device;
  std::string objective;
  std::string cache;
  bool strict = false;
  bool in_background = false;
  std::optional<std::string> database;
  std::optional<std::string> reproducible;  ///< What `model::outputs::Reproducibility::parse` reads.
};

/// Finds the best known configuration, and loads its code if it is not loaded yet. Throws the errors of
/// `tuner::querying::answer` and `library::LoadedCode`, and `base::MachineError` in a forked process.
LoadedKernel load(const KernelSource& source, const LoadRequest& request);

/// Waits until all compilations in the background have ended. The interpreter calls it before it exits.
void finish_loading();

/// Launches the kernel. Python calls it for `kernel(...)` (the slot `tp_call` of the class).
PyObject* call_kernel(PyObject* self, PyObject* arguments, PyObject* named) noexcept;

}  // namespace warptune::python::native::calls
