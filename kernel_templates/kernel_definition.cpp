// Reads a definition: its tables, merged over those of a definition that it extends, and its sources.
#include "kernel_templates/kernel_definition.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/include_check.h"
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

toml::table parse_description(const fs::path& path, const ReadScope& scope) {
  scope.require(path, "the definition", {path.string(), 0, 0});
  const std::string text = base::read_file(path);
  if (path.extension() == ".toml") return definition::parse_toml(text, path.string());
  const std::string description = compiling::split_source(text, path.string()).description;
  if (description.empty()) {
    throw base::InputError(
        "there is no tuning description: expected a first comment that starts with '/* warptune', or a .toml "
        "file that names this source",
        {path.string(), 1, 1});
  }
  return definition::parse_toml(description, path.string());
}

// Moves `over` into `base`. Tables are merged key by key; any other value is replaced. Values are moved,
// because a copy would lose its position in the file.
void merge_into(toml::table& base, toml::table&& over) {
  for (auto&& [key, value] : over) {
    toml::table* below = base[key.str()].as_table();
    if (below != nullptr && value.is_table()) {
      merge_into(*below, std::move(*value.as_table()));
    } else {
      base.insert_or_assign(key, std::move(value));
    }
  }
}

// Right outputs that are files hold for the problem and the inputs of the definition that names them. So one
// that extends it either names another reference, or changes neither.
void check_reference_files(toml::table& base, const toml::table& own, const std::string& base_name,
                           const base::SourcePosition& position) {
  toml::table* check = base["check"].as_table();
  if (check == nullptr || check->get("path") == nullptr) return;
  if (own["check"]["reference"]) {
    check->erase("path");
  } else if (own.contains("problem") || own.contains("argument")) {
    throw base::InputError(
        fmt::format("the files of [check] in {} are right for its own problem and arguments; another problem "
                    "or other arguments need another reference",
                    base_name),
        position);
  }
}

// The tables of a definition, merged over those of the definition that it extends.
toml::table description_of(const fs::path& path, const ReadScope& scope, int depth = 0) {
  constexpr int kMaxExtensions = 8;
  toml::table own = parse_description(path, scope);
  const definition::TableReader kernel = definition::TableReader(&own, "", path.string()).table("kernel");
  const std::optional<std::string> extended = kernel.text("extends");
  if (!extended) return own;
  if (path.extension() != ".toml")
    kernel.fail("extends", "no such key: only a .toml file can extend another definition");
  const fs::path base_path = path.parent_path() / *extended;
  std::error_code ignored;
  if (fs::path(*extended).has_parent_path() || !fs::is_regular_file(base_path, ignored))
    kernel.fail("extends", "the name of a definition in the same folder");
  scope.require(base_path, "the extended definition", kernel.position("extends"));
  if (depth == kMaxExtensions)
    kernel.fail("extends", "definitions that do not extend each other in a circle");
  toml::table merged = description_of(base_path, scope, depth + 1);
  if (toml::table* of_base = merged["kernel"].as_table(); of_base != nullptr) {
    if (base_path.extension() != ".toml") of_base->insert_or_assign("source", *extended);
    for (const char* key : {"name", "description"}) of_base->erase(key);
  }
  check_reference_files(merged, own, *extended, kernel.position("extends"));
  own["kernel"].as_table()->erase("extends");
  merge_into(merged, std::move(own));
  return merged;
}

}  // namespace

KernelDefinition load_kernel_definition(const fs::path& path, const Permissions& permissions) {
  const ReadScope scope(path, permissions);
  const toml::table table = description_of(path, scope);
  // Tables are merged into those of the definition that extends no other, so `kernel` is a table of its file.
  const toml::node* kernel = table.get("kernel");
  const bool names_file = kernel != nullptr && kernel->source().path != nullptr;
  const definition::TableReader root(&table, "", path.string(),
                                     names_file ? *kernel->source().path : path.string());
  KernelDefinition definition = definition::read_sections(root, path);
  definition.scope = scope;
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
