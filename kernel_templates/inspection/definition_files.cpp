#include "kernel_templates/inspection/definition_files.h"

#include <optional>
#include <string>

#include "base/files.h"
#include "kernel_templates/definition/include_check.h"
#include "kernel_templates/definition/toml_reader.h"

namespace warptune::kernel_templates::inspection {

namespace fs = std::filesystem;

namespace {

// The definition that a `.toml` file extends. The file was read before, so its form is right.
std::optional<fs::path> extended_by(const fs::path& file) {
  if (file.extension() != ".toml") return std::nullopt;
  const toml::table table = definition::parse_toml(base::read_file(file), file.string());
  const std::optional<std::string> extended =
      definition::TableReader(&table, "", file.string()).table("kernel").text("extends");
  if (!extended) return std::nullopt;
  return file.parent_path() / *extended;
}

}  // namespace

std::set<fs::path> files_of(const KernelDefinition& kernel) {
  std::set<fs::path> files = definition::reachable_files(kernel);
  const auto add = [&](const fs::path& file) {
    if (!file.empty() && !kernel.scope.is_trusted(file)) files.insert(fs::absolute(file).lexically_normal());
  };
  for (std::optional<fs::path> file = kernel.path; file; file = extended_by(*file)) add(*file);
  for (const fs::path& file : kernel.recommended_files) add(file);
  for (const Argument& argument : kernel.arguments) add(argument.init.path);
  for (const auto& [output, file] : kernel.check.files) add(file);
  return files;
}

}  // namespace warptune::kernel_templates::inspection
