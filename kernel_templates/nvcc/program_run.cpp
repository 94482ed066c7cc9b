#include "kernel_templates/nvcc/program_run.h"

#include <fstream>

#include "base/error.h"
#include "base/programs/run_program.h"

namespace warptune::kernel_templates::nvcc {

namespace {

std::string beginning_of(const std::filesystem::path& file) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  std::string text(kMaxBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(kMaxBytes));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output) {
  ProgramRun run;
  try {
    const base::programs::ProgramEnd end = base::programs::run_program(arguments, environment, output);
    run.exit_code = end.signal ? 128 + *end.signal : end.exit_code.value();
    run.output = beginning_of(output);
  } catch (const base::MachineError&) {  // It was not started.
  }
  return run;
}

}  // namespace warptune::kernel_templates::nvcc
