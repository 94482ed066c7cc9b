#include "tests/kernel_templates/library_cases.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "base/files.h"
#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/emulation/host_compiler.h"
#include "kernel_templates/library.h"
#include "model/expression.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;

namespace {

std::vector<model::NamedValues> read_list(const definition::TableReader& root, const std::string& key) {
  std::vector<model::NamedValues> list;
  for (const definition::TableReader& table : root.tables(key)) {
    model::NamedValues values;
    for (const auto& [name, node] : table.entries()) {
      const std::optional<model::Value> value = definition::scalar_of(*node);
      if (!value) table.fail(name, "a value");
      values.emplace_back(name, *value);
    }
    list.push_back(std::move(values));
  }
  return list;
}

// The fictional GPU with the limits of a compute capability.
model::GpuDescription gpu_of(int major, int minor) {
  const model::GpuDescription limits = *model::gpu_of_capability(major, minor);
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.max_threads_per_sm = limits.max_threads_per_sm;
  gpu.max_blocks_per_sm = limits.max_blocks_per_sm;
  gpu.shared_bytes_per_block_optin = limits.shared_bytes_per_block_optin;
  gpu.shared_bytes_per_sm = limits.shared_bytes_per_sm;
  return gpu;
}

}  // namespace

emulation::ProgramOutcome compile_and_run(const emulation::EmulationProgram& program) {
  std::string folder_name = (fs::temp_directory_path() / "warptune-emulation-XXXXXX").string();
  if (mkdtemp(folder_name.data()) == nullptr) throw std::runtime_error("cannot make " + folder_name);
  const fs::path folder = folder_name;
  const char* named = std::getenv("WARPTUNE_EMULATION_CXX");
  const fs::path compiler = named == nullptr ? emulation::find_host_compiler() : fs::path("/usr/bin") / named;
  emulation::ProgramOutcome outcome = emulation::compile_and_run(
      program.files(), folder, compiler, {tested_sources() / "tests/kernel_templates/emulation"});
  if (std::getenv("WARPTUNE_KEEP_EMULATION") == nullptr) fs::remove_all(folder);
  return outcome;
}

fs::path tested_sources() {
  const char* elsewhere = std::getenv("WARPTUNE_TESTED_SOURCES");
  return elsewhere != nullptr ? elsewhere : WARPTUNE_SOURCE_FOLDER;
}

std::vector<model::GpuDescription> tested_gpus() {
  return {gpu_of(7, 5), gpu_of(8, 0), gpu_of(8, 6), gpu_of(8, 9), gpu_of(9, 0), gpu_of(10, 0), gpu_of(12, 0)};
}

std::vector<std::string> library_kernels() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(tested_sources() / "kernel_templates/library")) {
    if (is_definition_file(entry.path())) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path library_file(const std::string& kernel) {
  const fs::path embedded = tested_sources() / "kernel_templates/library" / (kernel + ".cu");
  return fs::is_regular_file(embedded) ? embedded : fs::path(embedded).replace_extension(".toml");
}

model::NamedValues draw_configuration(const KernelInstance& instance, const std::string& where,
                                      base::Random& random) {
  constexpr int kTries = 100000;
  const model::Expression condition = model::Expression::parse(where.empty() ? "true" : where);
  for (int i = 0; i < kTries; ++i) {
    model::NamedValues configuration = instance.space().values_of(instance.space().sample(random));
    model::NamedValues scope = configuration;
    scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
    if (condition.evaluate(scope).and_then(model::to_truth).value_or(false)) return configuration;
  }
  throw std::runtime_error("no configuration meets " + where);
}

LibraryCases load_library_cases(const std::string& kernel) {
  const fs::path path = tested_sources() / "tests/kernel_templates/library_cases" / (kernel + ".toml");
  const toml::table table = definition::parse_toml(base::read_file(path), path.string());
  const definition::TableReader root(&table, "", path.string());
  root.allow_only(
      {"types", "sizes", "gpu_sizes", "scalars", "samples", "demanding", "emulated", "emulated_where"});
  LibraryCases cases;
  cases.kernel = kernel;
  cases.types = read_list(root, "types");
  for (model::NamedValues& types : cases.types) {
    const auto from = std::find_if(types.begin(), types.end(),
                                   [](const auto& entry) { return entry.first == "from_capability"; });
    cases.type_capabilities.push_back(
        from == types.end() ? 0 : static_cast<int>(model::to_integer(from->second).value()));
    if (from != types.end()) types.erase(from);
  }
  cases.sizes = read_list(root, "sizes");
  cases.gpu_sizes = read_list(root, "gpu_sizes");
  cases.scalars = read_list(root, "scalars");
  if (cases.types.empty()) root.fail("types", "a list of problem entries, at least one");
  if (cases.sizes.empty()) root.fail("sizes", "a list of problem entries, at least one");
  if (cases.scalars.empty()) cases.scalars = {{}};
  cases.samples = static_cast<int>(root.integer("samples").value_or(cases.samples));
  for (model::NamedValues& entry : read_list(root, "demanding")) {
    const auto where =
        std::find_if(entry.begin(), entry.end(), [](const auto& value) { return value.first == "where"; });
    if (where == entry.end())
      root.fail("demanding", "entries of a condition `where` and the problem's values");
    DemandingCase demanding = {model::to_text(where->second), {}};
    entry.erase(where);
    demanding.problem = std::move(entry);
    cases.demanding.push_back(std::move(demanding));
  }
  cases.emulated = root.boolean("emulated").value_or(true);
  cases.emulated_where = root.text("emulated_where").value_or("");
  return cases;
}

}  // namespace warptune::kernel_templates
