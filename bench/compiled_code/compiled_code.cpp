// Checks whether an old and a new definition of a kernel compile to the same machine code: bench/README.md.

#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "bench/compiled_code/definition_pair.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/renamed_kernels.h"
#include "model/renaming.h"
#include "tests/kernel_templates/library_cases.h"

namespace fs = std::filesystem;
namespace po = boost::program_options;
using namespace warptune;
using kernel_templates::KernelDefinition;
using model::NamedValues;
using model::Renaming;

namespace {

constexpr const char* kProgram = "bench_compiled_code";

struct Options {
  model::GpuDescription gpu;
  std::size_t count = 0;
  std::uint64_t seed = 0;
  bool list = false;
  std::vector<NamedValues> problems;  // With the new names. Empty: those of the kernel's cases.
};

// The problems of the kernel's cases. Without cases: the problem as it is written, and then with each other
// text that an entry allows.
std::vector<NamedValues> problems_of(const KernelDefinition& definition, const model::GpuDescription& gpu) {
  const fs::path cases = kernel_templates::tested_sources() / "tests/kernel_templates/library_cases" /
                         (definition.name + ".toml");
  std::vector<NamedValues> problems;
  if (fs::is_regular_file(cases)) {
    const kernel_templates::LibraryCases of_kernel = kernel_templates::load_library_cases(definition.name);
    for (std::size_t i = 0; i < of_kernel.types.size(); ++i) {
      if (of_kernel.type_capabilities[i] <= gpu.compute_major * 10 + gpu.compute_minor)
        problems.push_back(of_kernel.types[i]);
    }
    return problems;
  }
  problems.emplace_back();
  for (const auto& [name, values] : definition.problem_values) {
    for (const model::Value& value : values) {
      if (const model::Value* written = model::find(definition.problem, name);
          written != nullptr && *written != value)
        problems.push_back({{name, value}});
    }
  }
  return problems;
}

void print_tally(const KernelDefinition& after, const Options& options, const bench::Tally& tally) {
  const std::size_t different = tally.compared - tally.same - tally.failed_in_both;
  fmt::print("{:<14} {} {:>4} compared {:>4} same {:>3} different", after.name, options.gpu.architecture(),
             tally.compared, tally.same, different);
  if (tally.sometimes_same > 0) fmt::print(", {} same only at times", tally.sometimes_same);
  if (different > 0)
    fmt::print(" ({} more registers, {} more spills, instructions x {})", tally.more_registers,
               tally.more_spills, bench::spread_text(tally.instruction_ratios, 3));
  fmt::print("; {} not valid, {} launched otherwise", tally.not_valid, tally.different_launches);
  if (tally.failed_in_both > 0) fmt::print(", {} compile in neither", tally.failed_in_both);
  fmt::print("; compile time x {}\n", bench::spread_text(tally.time_ratios, 3));
  if (!options.list) return;
  for (const bench::Difference& difference : tally.differences)
    fmt::print("  {}\n    {} | {}\n", difference.what, model::to_text(difference.problem),
               model::to_text(difference.configuration));
}

// Compares the two definitions of a kernel. Returns whether nothing differs.
bool compare_kernel(const fs::path& old_path, const fs::path& new_path,
                    const std::vector<Renaming>& renamings, const Options& options) {
  const KernelDefinition before = kernel_templates::load_kernel_definition(old_path);
  const KernelDefinition after = kernel_templates::load_kernel_definition(new_path);
  const Renaming* found = model::find_renaming(renamings, before.hash);
  const Renaming renaming = found != nullptr ? *found : Renaming{after.name, before.hash, after.hash, {}, {}};
  fmt::print("{:<14} before = \"{}\"  after = \"{}\"{}\n", after.name, before.hash, after.hash,
             found == nullptr             ? " (no renaming is listed)"
             : found->after != after.hash ? " (listed with another hash)"
                                          : "");
  std::fflush(stdout);
  const std::vector<NamedValues> problems =
      options.problems.empty() ? problems_of(after, options.gpu) : options.problems;
  base::Random random(options.seed);
  bench::Tally tally;
  for (std::size_t at = 0; at < problems.size(); ++at) {
    const bench::DefinitionPair pair(before, after, renaming, problems[at], options.gpu);
    pair.compare_spaces(tally);
    pair.compare_references(tally);
    std::vector<NamedValues> configurations;
    if (!pair.before().default_configuration().empty())
      configurations.push_back(pair.before().default_configuration());
    const std::size_t draws = (options.count + problems.size() - 1 - at) / problems.size();
    for (std::size_t i = 0; i < draws; ++i)
      configurations.push_back(pair.before().space().values_of(pair.before().space().sample(random)));
    for (std::size_t i = 0; i < configurations.size(); ++i)
      pair.compare(configurations[i], i % 2 == 1, tally);
  }
  print_tally(after, options, tally);
  std::fflush(stdout);
  return tally.differences.empty();
}

model::GpuDescription gpu_of(const std::string& architecture) {
  std::string known;
  for (const model::GpuDescription& gpu : kernel_templates::tested_gpus()) {
    if (gpu.architecture() == architecture) return gpu;
    known += " " + gpu.architecture();
  }
  throw base::InputError("unknown architecture '" + architecture + "', expected one of" + known);
}

NamedValues problem_of(const std::string& text) {
  NamedValues problem;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw base::InputError("expected NAME=VALUE, found '" + word + "'");
    problem.emplace_back(word.substr(0, equals), model::parse_value(word.substr(equals + 1)));
  }
  return problem;
}

fs::path definition_in(const fs::path& folder, const std::string& kernel) {
  const fs::path embedded = folder / (kernel + ".cu");
  // A source of the lab may have the same name as the `.toml` of its experiment.
  return fs::is_regular_file(embedded) ? embedded : folder / (kernel + ".toml");
}

int compare(int argument_count, char** arguments) {
  po::options_description described("Options");
  described.add_options()("help", "show this")("old", po::value<std::string>()->default_value(""),
                                               "a definition, or a folder of definitions")(
      "new", po::value<std::string>()->default_value(""), "a definition, or a folder of definitions")(
      "kernel", po::value<std::vector<std::string>>()->multitoken(), "names of kernels; needed with folders")(
      "renamed",
      po::value<std::string>()->default_value(
          (kernel_templates::tested_sources() / "kernel_templates/renamed.toml").string()),
      "the map of names")("architecture", po::value<std::string>()->default_value("sm_90"), "compiled for")(
      "count", po::value<std::size_t>()->default_value(60),
      "random configurations of a kernel, over all types, besides the default of each type")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of the draw")(
      "problem", po::value<std::vector<std::string>>(),
      "NAME=VALUE ... with the new names, instead of the types of the kernel's cases; may be repeated")(
      "list", "list what differs");
  const auto parsed = bench::parse_options(kProgram, described, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  Options options{gpu_of(given["architecture"].as<std::string>()),
                  given["count"].as<std::size_t>(),
                  given["seed"].as<std::uint64_t>(),
                  given.count("list") != 0,
                  {}};
  if (given.count("problem") != 0) {
    for (const std::string& text : given["problem"].as<std::vector<std::string>>())
      options.problems.push_back(problem_of(text));
  }
  for (const char* name : {"old", "new"}) {
    if (given[name].as<std::string>().empty())
      throw base::InputError(fmt::format("--{} is missing: expected a definition or a folder", name));
  }
  const auto renamings = kernel_templates::load_renamings(given["renamed"].as<std::string>());
  const fs::path before = given["old"].as<std::string>();
  const fs::path after = given["new"].as<std::string>();
  bool same = true;
  if (!fs::is_directory(before)) return compare_kernel(before, after, renamings, options) ? 0 : 1;
  if (given.count("kernel") == 0)
    throw base::InputError("--kernel is missing: folders need names of kernels");
  for (const std::string& kernel : given["kernel"].as<std::vector<std::string>>())
    same &= compare_kernel(definition_in(before, kernel), definition_in(after, kernel), renamings, options);
  return same ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, compare);
}
