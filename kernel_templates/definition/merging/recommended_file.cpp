#include "kernel_templates/definition/merging/recommended_file.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/streams/limited_file.h"

namespace warptune::kernel_templates::definition::merging {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "recommended";

// Checked before the file is opened, because a pipe would let the reader wait.
void require_file(const fs::path& file, const base::SourcePosition& position) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored)) return;
  throw base::InputError(
      fmt::format("the file of recommendations {} {}; expected a file with [[recommended]] tables",
                  file.string(), fs::exists(file, ignored) ? "is not a regular file" : "is missing"),
      position);
}

// The file as the definition names it, or the shipped file of that name: a copy of a shipped kernel needs no
// files beside it.
fs::path place_of(const std::string& name, const fs::path& definition) {
  fs::path beside = definition.parent_path() / name;
  const fs::path shipped = base::share_folder() / "kernels" / name;
  std::error_code ignored;
  if (fs::exists(beside, ignored) || fs::path(name).has_parent_path()) return beside;
  return fs::is_regular_file(shipped, ignored) ? shipped : beside;
}

toml::table read_tables(const fs::path& file) {
  const std::string text =
      base::streams::read_limited_file(file, kMaxRecommendedFileBytes, "a file of recommendations");
  toml::table table = parse_toml(text, file.string());
  const TableReader root(&table, "", file.string());
  root.allow_only({kKey});
  if (root.node(kKey) == nullptr) root.fail(kKey, "[[recommended]] tables");
  root.tables(kKey);  // Throws if it is something else.
  return table;
}

}  // namespace

std::optional<fs::path> insert_recommended_file(toml::table& description, const fs::path& path,
                                                const ReadScope& scope) {
  const TableReader root(&description, "", path.string());
  const TableReader kernel = root.table("kernel");
  if (kernel.node(kKey) == nullptr) return std::nullopt;
  const fs::path file = place_of(kernel.required_text(kKey), path);
  const base::SourcePosition position = kernel.position(kKey);
  if (root.node(kKey) != nullptr) {
    throw base::InputError(
        fmt::format(
            "kernel.recommended names {}, but this definition also has [[recommended]] tables, in line "
            "{}; expected all of them in one of the two",
            file.filename().string(), root.position(kKey).line),
        position);
  }
  scope.require(file, "the file of recommendations", position);
  require_file(file, position);
  toml::table tables = read_tables(file);
  description["kernel"].as_table()->erase(kKey);
  for (auto&& [key, value] : tables)  // Moved, because a copy would lose its position.
    description.insert_or_assign(key, std::move(value));
  return file;
}

}  // namespace warptune::kernel_templates::definition::merging
