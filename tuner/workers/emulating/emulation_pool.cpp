#include "tuner/workers/emulating/emulation_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernel_templates/emulation/host_compiler.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::emulating {

namespace {

using Outcome = base::Result<kernel_templates::emulation::ProgramOutcome>;

// A worker with its only program.
struct RunningProgram {
  std::size_t index = 0;
  std::unique_ptr<confinement::ScratchFolder> scratch;
  processes::WorkerProcess process;
  std::chrono::steady_clock::time_point started;
};

RunningProgram started_program(const ProgramFiles& files, std::size_t index,
                               const std::filesystem::path& compiler, std::chrono::seconds deadline) {
  auto scratch = std::make_unique<confinement::ScratchFolder>();
  confinement::Sandbox sandbox;
  sandbox.readable = {kernel_templates::emulation::runtime_folder()};
  sandbox.scratch = scratch->path();
  sandbox.host_compiler = compiler;
  // No limit of data (RLIMIT_DATA) is set: AddressSanitizer reserves more address space than the machine has
  // memory.
  RunningProgram program{index, std::move(scratch),
                         processes::WorkerProcess(fmt::format("emulate {}", index), sandbox),
                         std::chrono::steady_clock::now()};
  program.process.allow_cpu(deadline);
  program.process.channel().send(protocol::Emulate{files});
  return program;
}

// How a program ended, as soon as it has.
std::optional<Outcome> outcome_of(RunningProgram& program, std::chrono::seconds deadline) {
  const bool open = program.process.channel().drain();
  if (std::optional<protocol::Message> message = program.process.channel().next()) {
    if (auto* emulated = std::get_if<protocol::Emulated>(&*message)) return std::move(emulated->outcome);
    if (const auto* failure = std::get_if<protocol::Failure>(&*message)) protocol::throw_failure(*failure);
    program.process.distrust("a message that is not an answer");
  }
  if (std::chrono::steady_clock::now() - program.started > deadline)
    return base::failure(fmt::format("it did not end within {} s", deadline.count()));
  if (open && program.process.problem().empty()) return std::nullopt;
  return base::failure(fmt::format("its worker ended: {}", program.process.end()));
}

}  // namespace

std::vector<Outcome> emulate_all(const std::vector<ProgramFiles>& programs,
                                 const std::filesystem::path& compiler, std::size_t jobs,
                                 std::chrono::seconds deadline, const base::Cancellation& cancellation) {
  std::vector<std::optional<Outcome>> outcomes(programs.size());
  std::vector<RunningProgram> running;
  for (std::size_t next = 0; next < programs.size() || !running.empty();) {
    cancellation.throw_if_cancelled();
    while (next < programs.size() && running.size() < std::max<std::size_t>(jobs, 1)) {
      running.push_back(started_program(programs[next], next, compiler, deadline));
      ++next;
    }
    std::vector<pollfd> polled;
    polled.reserve(running.size());
    for (RunningProgram& program : running)
      polled.push_back({program.process.channel().descriptor(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), 100);
    std::erase_if(running, [&](RunningProgram& program) {
      std::optional<Outcome> outcome = outcome_of(program, deadline);
      if (!outcome) return false;
      outcomes[program.index] = std::move(outcome);
      return true;
    });
  }
  std::vector<Outcome> all;
  all.reserve(outcomes.size());
  for (std::optional<Outcome>& outcome : outcomes) all.push_back(std::move(*outcome));
  return all;
}

}  // namespace warptune::tuner::workers::emulating
