#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::confinement {

/// What a compile worker may do. It runs the compilers of NVRTC over sources that a stranger may have
/// written.
struct Sandbox {
  /// Folders below which files may be read, beside those of the toolkit and the loader.
  std::vector<std::filesystem::path> readable;
  std::filesystem::path scratch;   ///< The only folder in which files may be written; empty: none.
  std::uint64_t memory_bytes = 0;  ///< Of data; 0: no limit.
};

/// The sandbox as arguments of a command line, and back. Throws `base::InputError` for what is none.
std::vector<std::string> arguments_of(const Sandbox& sandbox);
Sandbox sandbox_of(const std::vector<std::string>& arguments);

/// Confines this process for good; to be called before it reads anything from others, and before it starts
/// threads. Afterwards
/// * it holds at most `memory_bytes`, writes no file longer than 1 GiB, leaves no core file and holds few
/// files;
/// * it starts no process, opens no socket and reaches no other process (seccomp);
/// * it reads and writes only where the sandbox says (Landlock).
/// What this kernel lacks is left out; `sandbox_problem` says what.
void enter(const Sandbox& sandbox);

/// What of a sandbox this kernel cannot enforce, as a line for people; empty where it enforces all.
std::string sandbox_problem();

}  // namespace warptune::tuner::confinement
