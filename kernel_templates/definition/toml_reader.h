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

/// Parses TOML text. Throws `base::InputError` with the position of an error in `file`.
toml::table parse_toml(std::string_view text, const std::string& file);

base::SourcePosition position_of(const toml::node& node, const std::string& file);

/// The kind of a node for messages: "an integer", "a table".
std::string kind_of(const toml::node& node);

/// The value of a boolean, integer, real or string node, or std::nullopt for other nodes.
std::optional<model::Value> scalar_of(const toml::node& node);

/// The value of a scalar node in the type of `like`. An integer may become a real. Returns std::nullopt if it
/// has another type.
std::optional<model::Value> value_like(const toml::node& node, const model::Value& like);

/// Throws `base::InputError` unless `name` can be the name of a macro. It must be an identifier that neither
/// C++ nor CUDA nor warptune uses.
void require_identifier(const std::string& name, const base::SourcePosition& position);

/// Makes an expression of a string, integer, real or boolean node.
model::Expression expression_of(const toml::node& node, const std::string& file, std::string_view what,
                                model::NameForm names = model::NameForm::kPlain);

/// One table of a definition. Its readers check types; their errors say what was found and what was expected.
class TableReader {
 public:
  /// `path` is the table's name in messages, such as "launch". A null `table` stands for a missing table.
  /// `file` is the definition that is read. `ordering_file` is the one that extends no other: `file` itself,
  /// or the last definition of the chain that `file` extends.
  TableReader(const toml::table* table, std::string path, std::string file, std::string ordering_file);
  TableReader(const toml::table* table, std::string path, const std::string& file)
      : TableReader(table, std::move(path), file, file) {}

  /// Throws `base::InputError` at the first key that is not in `known`. The message has the nearest one.
  void allow_only(const std::vector<std::string>& known) const;
  bool present() const { return table_ != nullptr; }
  const toml::node* node(std::string_view key) const;
  /// The keys with their nodes. The keys from the ordering file come first, in the order of that file. The
  /// other keys follow, sorted by name. The order enters the hashes of definitions, so it must not change.
  std::vector<std::pair<std::string, const toml::node*>> entries() const;

  std::optional<std::string> text(std::string_view key) const;
  std::string required_text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::optional<model::Expression> expression(std::string_view key) const;
  model::Expression required_expression(std::string_view key) const;
  /// Reads one of `names`, written as text, or an expression whose value is one of them.
  model::Expression required_choice(std::string_view key, const std::vector<std::string>& names) const;
  /// Reads a list of expressions, or a single one.
  std::vector<model::Expression> expressions(std::string_view key) const;
  TableReader table(std::string_view key) const;
  /// Reads an array of tables.
  std::vector<TableReader> tables(std::string_view key) const;

  const std::string& file() const { return file_; }
  base::SourcePosition position() const;
  base::SourcePosition position(std::string_view key) const;
  /// The full name of a key, such as `launch.grid`.
  std::string name_of(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& expected) const;

 private:
  const toml::table* table_;
  std::string path_;
  std::string file_;
  std::string ordering_file_;
};

/// Reads a required expression of an experiment. Its names may have dots (`table.row.metric`).
model::Expression required_dotted_expression(const TableReader& table, std::string_view key);

}  // namespace warptune::kernel_templates::definition
