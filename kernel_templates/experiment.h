#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/expression.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::kernel_templates {

/// A number that is shown for each row of a table.
struct ExperimentColumn {
  std::string title;
  model::Expression value;    ///< May use the row's names, the quantities and other rows.
  std::optional<int> digits;  ///< Digits after the point; without it, three significant digits.
};

/// What is measured for one line of a table: a configuration, or the fastest of several.
struct ExperimentRow {
  std::string id;
  std::string label;
  std::string note;
  std::string kernel;          ///< A path, or a shipped name.
  model::NamedValues problem;  ///< Replaces entries of the definition's problem.
  model::NamedValues set;      ///< Replaces values of the definition's default configuration.
  /// Lists of values. The fastest of their combinations is the row.
  std::vector<std::pair<std::string, std::vector<model::Value>>> tune;
  base::SourcePosition position;
};

struct ExperimentTable {
  std::string name;
  std::string title;
  model::CacheState cache = model::CacheState::kCold;
  std::vector<std::string> metrics;  ///< In addition to those that a profile reads.
  std::string baseline;              ///< A row's id, or empty.
  std::vector<ExperimentRow> rows;
  std::vector<ExperimentColumn> columns;
  base::SourcePosition position;
};

/// A text that contains numbers: `{EXPRESSION}` or `{EXPRESSION @ FORMAT}`. FORMAT is fmt's format of a real
/// number. Texts and numbers alternate. The first and the last part are texts, so there is one text more than
/// numbers.
struct TextWithNumbers {
  struct Number {
    model::Expression value;
    std::string format;  ///< For example `.1f`; three significant digits if it is empty.
  };
  std::vector<std::string> texts;
  std::vector<Number> numbers;
};

/// Measured values that support a verdict.
struct Evidence {
  std::string text;  ///< The quantity and its unit.
  std::vector<model::Expression> values;
  std::vector<std::string> labels;  ///< What each value belongs to. Empty, or one for each value.
};

/// A statement about the measurements, and the condition that decides whether it holds.
struct Claim {
  std::string text;
  model::Expression value;
  std::string unit;
  std::string measured;  ///< What the value was measured with, for example "with padding". May be empty.
  std::optional<double> expected;           ///< The number that the claim states.
  model::Expression holds;                  ///< May also use the name `value`.
  std::optional<model::Expression> weaker;  ///< If it is true although `holds` is not, the claim holds
                                            ///< partially.
  TextWithNumbers because_holds;
  TextWithNumbers because_weaker;
  TextWithNumbers because_fails;
  std::vector<Evidence> evidence;
  base::SourcePosition position;
};

/// A check of a counter: the value that it must have if it counts what its name says.
struct TheoryRow {
  std::string text;
  std::string metric;
  model::Expression value;
  model::Expression expected;
  double tolerance = 0.0;  ///< Relative, or absolute if the expected value is 0.
  base::SourcePosition position;
};

struct ExperimentChart {
  struct Axis {
    std::string title;
    model::Expression value;  ///< The value of a row.
    bool logarithmic = false;
  };
  struct Line {
    std::string title;
    model::Expression value;  ///< May use `x`, `gpu.` and `roofs.`.
  };
  std::string title;
  Axis x;
  Axis y;
  std::vector<std::pair<std::string, std::string>> series;  ///< Title and table of each series.
  std::vector<Line> lines;
};

/// An experiment of the lab as it is written (docs/lab.md). Every expression is parsed, and every name of a
/// row, table or quantity is known. Whether the kernels have the parameters is checked later, when the
/// kernels are loaded.
struct Experiment {
  std::string name;  ///< The file's name without its extension.
  std::string title;
  std::string summary;
  std::string about;  ///< Markdown.
  std::vector<std::string> sources;
  std::vector<ExperimentTable> tables;
  std::vector<std::pair<std::string, model::Expression>> quantities;  ///< Each one may use the previous ones.
  std::vector<Claim> claims;
  std::vector<TheoryRow> theory;
  std::vector<ExperimentChart> charts;
  std::filesystem::path path;
  ReadScope scope;  ///< The files that the experiment may read. Its kernels have scopes of their own, with
                    ///< the same permissions.

  /// Null if it does not exist.
  const ExperimentTable* find_table(std::string_view table) const;
};

/// Reads an experiment. Kernels must be in the experiment's folder or below, or in a folder that
/// `permissions` allow. Throws `base::InputError` with file:line:column in these cases:
/// * The TOML is malformed, or it has unknown keys or wrong types.
/// * An expression cannot be parsed, or it uses an unknown row, table or quantity.
/// * An id is repeated.
/// * A kernel is outside of the allowed folders.
Experiment load_experiment(const std::filesystem::path& path, const Permissions& permissions = {});

/// The names of the shipped experiments, sorted. These are the `.toml` files in `share_folder()/lab` that
/// have a section [experiment].
std::vector<std::string> shipped_experiments();

/// The file of a shipped experiment, or the path itself if `name_or_path` is a path to a `.toml` file (it has
/// a slash or that ending). Throws `base::InputError` with the nearest shipped names if it does not exist.
std::filesystem::path find_experiment(const std::string& name_or_path);

}  // namespace warptune::kernel_templates
