#include "kernel_templates/renamed_kernels.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "base/files.h"
#include "kernel_templates/definition/toml_reader.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;
using definition::TableReader;

namespace {

std::vector<std::pair<std::string, std::string>> text_pairs(const TableReader& table) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::set<std::string> results;
  for (const auto& [before, node] : table.entries()) {
    const std::string after = table.required_text(before);
    if (!results.insert(after).second) table.fail(before, "a text that no other name or value is mapped to");
    pairs.emplace_back(before, after);
  }
  return pairs;
}

std::vector<model::RenamedName> read_names(const TableReader& renaming) {
  std::vector<model::RenamedName> names;
  for (auto& [before, after] : text_pairs(renaming.table("names"))) names.push_back({before, after, {}});
  const TableReader values = renaming.table("values");
  for (const auto& [name, node] : values.entries()) {
    if (!node->is_table()) values.fail(name, "a table of texts: before = \"after\"");
    auto found = std::find_if(names.begin(), names.end(), [&, &of = name](const model::RenamedName& renamed) {
      return renamed.before == of;
    });
    if (found == names.end()) found = names.insert(names.end(), {name, name, {}});
    found->values = text_pairs(values.table(name));
  }
  return names;
}

model::NamedValues read_added(const TableReader& added) {
  model::NamedValues values;
  for (const auto& [name, node] : added.entries()) {
    std::optional<model::Value> value = definition::scalar_of(*node);
    if (!value) added.fail(name, "a value of the parameter");
    values.emplace_back(name, std::move(*value));
  }
  return values;
}

std::string required_hash(const TableReader& table, std::string_view key) {
  std::string hash = table.required_text(key);
  if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    table.fail(key, "a definition's hash: 32 hexadecimal digits");
  return hash;
}

std::optional<model::Expression> read_identical(const TableReader& definition) {
  if (definition.node("identical") == nullptr) definition.fail("identical", "true, false or a condition");
  std::optional<model::Expression> identical = definition.expression("identical");
  if (identical->text() == "false") identical.reset();
  return identical;
}

std::vector<model::Renaming> read_renamings(const std::string& text, const fs::path& path) {
  const toml::table table = definition::parse_toml(text, path.string());
  const TableReader root(&table, "", path.string());
  root.allow_only({"renaming"});
  std::vector<model::Renaming> renamings;
  for (const TableReader& renaming : root.tables("renaming")) {
    renaming.allow_only({"names", "values", "added", "definition"});
    const std::vector<model::RenamedName> names = read_names(renaming);
    const model::NamedValues added = read_added(renaming.table("added"));
    for (const TableReader& definition : renaming.tables("definition")) {
      definition.allow_only({"kernel", "before", "after", "identical"});
      model::Renaming one{definition.required_text("kernel"), required_hash(definition, "before"),
                          required_hash(definition, "after"), names,
                          read_identical(definition),         added};
      if (model::find_renaming(renamings, one.before) != nullptr || one.before == one.after)
        definition.fail("before", "the hash of a version that is mapped only once, and not to itself");
      renamings.push_back(std::move(one));
    }
  }
  return renamings;
}

fs::path shipped_path() { return base::share_folder() / "names" / "renamed.toml"; }

// The text of the shipped map; empty if there is none.
std::string shipped_text() {
  const fs::path path = shipped_path();
  std::error_code error;
  return fs::is_regular_file(path, error) ? base::read_file(path) : std::string();
}

}  // namespace

std::vector<model::Renaming> load_renamings(const fs::path& path) {
  return read_renamings(base::read_file(path), path);
}

std::vector<model::Renaming> shipped_renamings() { return read_renamings(shipped_text(), shipped_path()); }

bool shipped_renamings_mention(const std::vector<std::string>& hashes) {
  if (hashes.empty()) return false;
  const std::string text = shipped_text();
  // A test ensures that the map is written in this form. Present hashes are in the text, too, as `after`.
  return std::any_of(hashes.begin(), hashes.end(), [&](const std::string& hash) {
    return text.find("before = \"" + hash + '"') != std::string::npos;
  });
}

}  // namespace warptune::kernel_templates
