#include "kernel_templates/definition/merging/merged_description.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/definition/merging/recommended_file.h"

namespace warptune::kernel_templates::definition::merging {

namespace {

namespace fs = std::filesystem;

toml::table parse_description(const fs::path& path, const ReadScope& scope) {
  scope.require(path, "the definition", {path.string(), 0, 0});
  const std::string text = base::read_file(path);
  if (path.extension() == ".toml") return parse_toml(text, path.string());
  const std::string description = compiling::split_source(text, path.string()).description;
  if (description.empty()) {
    throw base::InputError(
        "there is no tuning description: expected a first comment that starts with '/* warptune', or a .toml "
        "file that names this source",
        {path.string(), 1, 1});
  }
  return parse_toml(description, path.string());
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

// The tables of a definition. The files of recommendations that it and those below it name are appended to
// `recommended_files`. `depth` is how many definitions extend it.
toml::table tables_of(const fs::path& path, const ReadScope& scope, std::vector<fs::path>& recommended_files,
                      int depth) {
  constexpr int kMaxExtensions = 8;
  toml::table own = parse_description(path, scope);
  if (const auto file = insert_recommended_file(own, path, scope)) recommended_files.push_back(*file);
  const TableReader kernel = TableReader(&own, "", path.string()).table("kernel");
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
  toml::table merged = tables_of(base_path, scope, recommended_files, depth + 1);
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

Description merged_description(const fs::path& path, const ReadScope& scope) {
  Description description;
  description.tables = tables_of(path, scope, description.recommended_files, 0);
  return description;
}

}  // namespace warptune::kernel_templates::definition::merging
