#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"
#include "kernel_templates/emulation/program_files.h"

namespace warptune::tuner::workers::emulating {

/// The files of one program.
using ProgramFiles = std::vector<kernel_templates::emulation::NamedFile>;

/// Compiles and runs programs with the host's C++ compiler, each in a worker process and a scratch folder of
/// its own, and at most `jobs` at a time. Workers run in a sandbox (`confinement::Sandbox`): they read the
/// system's headers and libraries, write their scratch folder, and reach no other process and no network. If
/// a program does not end by itself within `deadline`, its result is that reason. This executes the code of
/// the programs' author, so call it only if the user trusts that author. Throws `base::WorkError` if it is
/// cancelled: the workers are killed.
std::vector<base::Result<kernel_templates::emulation::ProgramOutcome>> emulate_all(
    const std::vector<ProgramFiles>& programs, const std::filesystem::path& compiler, std::size_t jobs,
    std::chrono::seconds deadline, const base::Cancellation& cancellation = {});

}  // namespace warptune::tuner::workers::emulating
