#include "tests/kernel_templates/library_cases.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "base/files.h"
#include "kernel_templates/definition/toml_reader.h"
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

// The limits of each compute capability: CUDA C++ Programming Guide, table "Technical Specifications per
// Compute Capability".
model::GpuDescription gpu_of(int capability, std::int64_t threads_per_sm, std::int64_t shared_kib_per_block,
                             std::int64_t shared_kib_per_sm) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.compute_major = capability / 10;
  gpu.compute_minor = capability % 10;
  gpu.max_threads_per_sm = threads_per_sm;
  gpu.shared_bytes_per_block_optin = shared_kib_per_block * 1024;
  gpu.shared_bytes_per_sm = shared_kib_per_sm * 1024;
  return gpu;
}

}  // namespace

fs::path tested_sources() {
  const char* elsewhere = std::getenv("WARPTUNE_TESTED_SOURCES");
  return elsewhere != nullptr ? elsewhere : WARPTUNE_SOURCE_FOLDER;
}

std::vector<model::GpuDescription> tested_gpus() {
  return {gpu_of(75, 1024, 64, 64),  gpu_of(80, 2048, 163, 164), gpu_of(86, 1536, 99, 100),
          gpu_of(89, 1536, 99, 100), gpu_of(90, 2048, 227, 228), gpu_of(100, 2048, 227, 228),
          gpu_of(120, 1536, 99, 100)};
}

std::vector<std::string> library_kernels() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(tested_sources() / "kernel_templates/library")) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cu" || extension == ".toml") names.push_back(entry.path().stem().string());
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
