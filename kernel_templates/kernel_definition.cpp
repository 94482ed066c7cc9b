// Reads a definition: its sections, and what they need from other files.
#include "kernel_templates/kernel_definition.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/include_check.h"
#include "kernel_templates/definition/merging/merged_description.h"
#include "kernel_templates/hashing/definition_key.h"

namespace warptune::kernel_templates {

namespace {

namespace fs = std::filesystem;

void require_sources(const KernelDefinition& definition, const definition::TableReader& root) {
  const auto require = [&](const fs::path& source, const definition::TableReader& table) {
    definition.scope.require(source, "the source", table.position("source"));
    std::error_code ignored;
    if (fs::is_regular_file(source, ignored)) return;
    throw base::InputError(
        fmt::format("the source {} is missing; expected a CUDA file in the folder of this definition",
                    source.string()),
        table.position("source"));
  };
  require(definition.source, root.table("kernel"));
  const std::vector<definition::TableReader> variants = root.tables("variant");
  for (std::size_t i = 0; i < variants.size(); ++i) require(definition.variants[i].source, variants[i]);
  if (definition.check.reference == ReferenceKind::kEntry)
    require(definition.check.source, root.table("check"));
}

// Checks that all files and folders that the definition names may be read.
void require_readable(const KernelDefinition& definition, const definition::TableReader& root) {
  const definition::TableReader kernel = root.table("kernel");
  for (const fs::path& folder : definition.include_folders)
    definition.scope.require(folder, "the include folder", kernel.position("include"));
  const std::vector<definition::TableReader> arguments = root.tables("argument");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const fs::path& file = definition.arguments[i].init.path;
    if (!file.empty())
      definition.scope.require(file, "the data", arguments[i].table("init").position("path"));
  }
  for (const auto& [output, file] : definition.check.files)
    definition.scope.require(file, "the data", root.table("check").position("path"));
}

}  // namespace

KernelDefinition load_kernel_definition(const fs::path& path, const Permissions& permissions) {
  const ReadScope scope(path, permissions);
  definition::merging::Description description = definition::merging::merged_description(path, scope);
  const toml::table& table = description.tables;
  // Tables are merged into those of the definition that extends no other, so `kernel` is a table of its file.
  const toml::node* kernel = table.get("kernel");
  const bool names_file = kernel != nullptr && kernel->source().path != nullptr;
  const definition::TableReader root(&table, "", path.string(),
                                     names_file ? *kernel->source().path : path.string());
  KernelDefinition definition = definition::read_sections(root, path);
  definition.scope = scope;
  definition.recommended_files = std::move(description.recommended_files);
  definition::check_names(definition, root);
  require_sources(definition, root);
  require_readable(definition, root);
  compiling::check_compiler_options(definition);
  definition::check_includes(definition);
  definition.hash = hashing::hash_of(definition);
  definition.form = hashing::form_of(definition);
  return definition;
}

}  // namespace warptune::kernel_templates
