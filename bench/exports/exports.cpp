// Writes the best configurations of shipped recordings as CUDA files, and for each a program that runs it:
// bench/README.md. It needs no GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bench/exports/case_text.h"
#include "db/recording_file.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/exporting/cuda_file.h"
#include "tuner/exporting/kernel_export.h"
#include "tuner/knowledge/shipped_recordings.h"

namespace {

using namespace warptune;
namespace fs = std::filesystem;

// The fastest row of a recording, as the database would give it.
db::Winner winner_of(const model::Recording& recording) {
  const model::Measurement* best = nullptr;
  for (const model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured) continue;
    if (best == nullptr || row.time.median_ns < best->time.median_ns) best = &row;
  }
  if (best == nullptr)
    throw base::InputError("the recording of " + recording.workload.kernel + " has no measurement");
  db::Winner winner;
  winner.workload = recording.workload;
  winner.best = *best;
  winner.best.replayed = true;
  winner.environment = recording.environment;
  winner.work = recording.work;
  winner.roofs = recording.roofs;
  return winner;
}

void write_inputs(const std::vector<kernel_templates::ResolvedArgument>& arguments, const fs::path& folder) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_templates::ArgumentKind kind = arguments[i].kind;
    if (kind != kernel_templates::ArgumentKind::kIn && kind != kernel_templates::ArgumentKind::kInOut)
      continue;
    const std::vector<std::byte> bytes = kernel_templates::generate_argument(arguments[i], i, 1);
    base::write_file_atomically(folder / fmt::format("argument_{}.bin", i),
                                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

template <class T>
T value_of(model::Outcome<T> outcome) {
  if (!outcome) throw base::WorkError(outcome.error().reason);
  return std::move(*outcome);
}

void write_case(const std::string& name, const fs::path& out, bool with_inputs) {
  const std::vector<fs::path> recordings = tuner::knowledge::shipped_recordings(name);
  if (recordings.empty()) throw base::InputError("no recording of " + name);
  const db::Winner winner = winner_of(db::read_recording(recordings.front()));
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(name);
  const tuner::exporting::KernelExport exported{{definition.name,
                                                 definition.hash,
                                                 definition.parameters,
                                                 definition.constraints,
                                                 definition.problem,
                                                 definition.default_configuration,
                                                 {winner},
                                                 kernel_templates::is_checked(definition)},
                                                definition};
  const fs::path folder = out / name;
  fs::create_directories(folder);
  base::write_file_atomically(folder / (name + ".cuh"), tuner::exporting::cuda_file({exported}));

  const kernel_templates::KernelInstance instance(definition, winner.workload.problem, winner.workload.gpu);
  const model::NamedValues& configuration = winner.best.configuration;
  const auto request = value_of(instance.compile_request(configuration));
  const auto compiled = value_of(kernel_templates::compile(request));
  base::write_file_atomically(folder / "kernel.cubin", compiled.cubin);
  const auto arguments = value_of(instance.arguments(configuration));
  if (with_inputs) write_inputs(arguments, folder);
  base::write_file_atomically(folder / "main.cu",
                              bench::case_text(instance, configuration, arguments, compiled));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool with_inputs = std::erase(words, "--no-inputs") == 0;
  if (words.empty()) {
    std::fprintf(stderr, "usage: bench_exports [--no-inputs] FOLDER [KERNEL...]\n");
    return 2;
  }
  const fs::path out = words.front();
  words.erase(words.begin());
  if (words.empty()) words = kernel_templates::shipped_kernels();
  int failed = 0;
  for (const std::string& name : words) {
    try {
      write_case(name, out, with_inputs);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
      failed = 1;
    }
  }
  return failed;
}
