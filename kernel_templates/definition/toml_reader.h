#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/expression.h"
#include "model/value.h"

namespace warptune::kernel_templates::definition {

/// Parses TOML text; errors become `base::InputError` at their place in `file`.
toml::table parse_toml(std::string_view text, const std::string& file);

base::SourcePosition position_of(const toml::node& node, const std::string& file);

/// What a node is, for messages: "an integer", "a table".
std::string kind_of(const toml::node& node);

/// A boolean, integer, real or string node as a value.
std::optional<model::Value> scalar_of(const toml::node& node);

/// A scalar node's value in the type of `like`; an integer serves as a real. Nothing when it has another
/// type.
std::optional<model::Value> value_like(const toml::node& node, const model::Value& like);

/// Throws unless the name can be a macro's.
void require_identifier(const std::string& name, const base::SourcePosition& position);

/// An expression from a string, integer, real or boolean node.
model::Expression expression_of(const toml::node& node, const std::string& file, std::string_view what,
                                model::NameForm names = model::NameForm::kPlain);

/// One table of a definition: typed reads that name what was found and expected, and a check for unknown
/// keys.
class TableReader {
 public:
  /// `path` is how people know the table: "launch". `table` may be null: then nothing is there.
  TableReader(const toml::table* table, std::string path, std::string file);

  /// Throws at the first key that is not in `known`, naming the nearest.
  void allow_only(const std::vector<std::string>& known) const;
  bool present() const { return table_ != nullptr; }
  const toml::node* node(std::string_view key) const;
  /// Keys with their nodes in the order written (TOML's own order is by name).
  std::vector<std::pair<std::string, const toml::node*>> entries() const;

  std::optional<std::string> text(std::string_view key) const;
  std::string required_text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::optional<model::Expression> expression(std::string_view key) const;
  /// A list of expressions, or one.
  std::vector<model::Expression> expressions(std::string_view key) const;
  TableReader table(std::string_view key) const;
  /// An array of tables.
  std::vector<TableReader> tables(std::string_view key) const;

  const std::string& file() const { return file_; }
  base::SourcePosition position() const;
  base::SourcePosition position(std::string_view key) const;
  /// `launch.grid`
  std::string name_of(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& expected) const;

 private:
  const toml::table* table_;
  std::string path_;
  std::string file_;
};

/// An expression that must be there, whose names may be dotted (`table.row.metric`): an experiment's.
model::Expression required_dotted_expression(const TableReader& table, std::string_view key);

}  // namespace warptune::kernel_templates::definition
