#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::confinement {

/// What a compile worker may do. It compiles sources of untrusted authors, or runs kernels of trusted authors
/// on the CPU.
struct Sandbox {
  /// Files below these folders may be read, in addition to those of the toolkit and the loader.
  std::vector<std::filesystem::path> readable;
  std::filesystem::path scratch;   ///< The only folder in which files may be written; empty: none.
  std::uint64_t memory_bytes = 0;  ///< Limit of the data of each process (RLIMIT_DATA); 0: no limit.
  /// The worker may run nvcc and the programs that nvcc starts. They have the same sandbox, in which the
  /// toolkit and the system's headers and compilers can be read.
  bool runs_nvcc = false;
  /// If not empty, the worker may run this C++ compiler, and the programs that are compiled into `scratch`.
  std::filesystem::path host_compiler{};
  /// Other processes of the user may change the limit of memory (prlimit(2)). The worker itself cannot,
  /// because the filter of system calls forbids it.
  bool adjustable_memory = false;

  bool runs_programs() const { return runs_nvcc || !host_compiler.empty(); }
};

/// Converts a sandbox to the arguments of a command line. `sandbox_of` reads them back. It throws
/// `base::InputError` for an unknown argument.
std::vector<std::string> arguments_of(const Sandbox& sandbox);
Sandbox sandbox_of(const std::vector<std::string>& arguments);

/// Confines this process permanently. Call it before the process reads data that others wrote, and before
/// it starts threads. Afterwards the process is limited:
///
/// * It holds at most `memory_bytes`, writes no file longer than 1 GiB, leaves no core file and opens few
/// files.
/// * It opens no socket and reaches no other process. It starts a process only if the sandbox lets it run a
/// compiler (seccomp).
/// * If it runs programs, it leads a process group that they cannot leave. At most `kMaxProcesses` are in it,
/// and all are killed when this process ends (process_watcher.h).
/// * It reads and writes only where the sandbox allows it (Landlock).
///
/// Throws `base::MachineError` if the process that watches the programs cannot be started. A restriction that
/// the operating system lacks is left out, and `sandbox_problem` names it.
void enter(const Sandbox& sandbox);

/// The parts of a sandbox that the operating system cannot enforce, as a line for people. Empty if it
/// enforces all.
std::string sandbox_problem();

}  // namespace warptune::tuner::confinement
