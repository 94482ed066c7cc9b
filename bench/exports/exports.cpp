// Exports the best configurations of shipped recordings as CUDA files, and writes a program for each that
// runs it: bench/README.md. It needs no GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bench/exports/case_text.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/library.h"
#include "tests/tuner/exporting/recorded_export.h"
#include "tuner/exporting/cuda_file.h"
#include "tuner/exporting/kernel_export.h"

namespace {

using namespace warptune;
namespace fs = std::filesystem;

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
  const tuner::exporting::KernelExport exported = tuner::exporting::recorded_export(name);
  const db::Winner& winner = exported.input.winners.front();
  const fs::path folder = out / name;
  fs::create_directories(folder);
  base::write_file_atomically(folder / (name + ".cuh"), tuner::exporting::cuda_file({exported}));

  const kernel_templates::KernelInstance instance(exported.definition, winner.workload.problem,
                                                  winner.workload.gpu);
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
