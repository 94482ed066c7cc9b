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

/// A number shown of each row of a table.
struct ExperimentColumn {
  std::string title;
  model::Expression value;    ///< Over the row's names, quantities and other rows.
  std::optional<int> digits;  ///< After the point; else three significant ones.
};

/// What is measured for one line of a table: one configuration, or the fastest of several.
struct ExperimentRow {
  std::string id;
  std::string label;
  std::string note;
  std::string kernel;          ///< A path, or a shipped name.
  model::NamedValues problem;  ///< Over the definition's.
  model::NamedValues set;      ///< Over the definition's default configuration.
  std::vector<std::pair<std::string, std::vector<model::Value>>> tune;  ///< The best of these is the row.
  base::SourcePosition position;
};

struct ExperimentTable {
  std::string name;
  std::string title;
  model::CacheState cache = model::CacheState::kCold;
  std::vector<std::string> metrics;  ///< Beyond those that a profile reads.
  std::string baseline;              ///< A row's id, or empty.
  std::vector<ExperimentRow> rows;
  std::vector<ExperimentColumn> columns;
  base::SourcePosition position;
};

/// Text with numbers in it: `{EXPRESSION}` or `{EXPRESSION @ FORMAT}`, FORMAT as fmt's for a real. The parts
/// alternate, text first; there is one text more than there are numbers.
struct TextWithNumbers {
  struct Number {
    model::Expression value;
    std::string format;  ///< `.1f`; empty: three significant digits.
  };
  std::vector<std::string> texts;
  std::vector<Number> numbers;
};

struct Evidence {
  std::string text;
  std::vector<model::Expression> values;
};

/// What somebody says, and how it is judged.
struct Claim {
  std::string text;
  model::Expression value;
  std::string unit;
  std::optional<double> expected;           ///< The number that is claimed.
  model::Expression holds;                  ///< Over `value` too.
  std::optional<model::Expression> weaker;  ///< Asked where `holds` is false; absent: it does not hold then.
  TextWithNumbers because_holds;
  TextWithNumbers because_weaker;
  TextWithNumbers because_fails;
  std::vector<Evidence> evidence;
  base::SourcePosition position;
};

/// What a counter must read where it counts what it says.
struct TheoryRow {
  std::string text;
  std::string metric;
  model::Expression value;
  model::Expression expected;
  double tolerance = 0.0;  ///< Relative; absolute where 0 is expected.
  base::SourcePosition position;
};

struct ExperimentChart {
  struct Axis {
    std::string title;
    model::Expression value;  ///< Of a row.
    bool logarithmic = false;
  };
  struct Line {
    std::string title;
    model::Expression value;  ///< Over `x`, `gpu.` and `roofs.`.
  };
  std::string title;
  Axis x;
  Axis y;
  std::vector<std::pair<std::string, std::string>> series;  ///< Title, table.
  std::vector<Line> lines;
};

/// An experiment of the lab as written: docs/lab.md. Every expression is parsed, every name of a row, table
/// or quantity known; whether the kernels have the parameters is told when they are loaded.
struct Experiment {
  std::string name;  ///< The file's stem.
  std::string title;
  std::string summary;
  std::string about;  ///< Markdown.
  std::vector<std::string> sources;
  std::vector<ExperimentTable> tables;
  std::vector<std::pair<std::string, model::Expression>> quantities;  ///< Each may use those above it.
  std::vector<Claim> claims;
  std::vector<TheoryRow> theory;
  std::vector<ExperimentChart> charts;
  std::filesystem::path path;
  ReadScope
      scope;  ///< What it may read; its kernels have scopes of their own, with the same folders granted.

  /// Null when there is none.
  const ExperimentTable* find_table(std::string_view table) const;
};

/// Reads an experiment. Throws `base::InputError` with file:line:column on malformed TOML, unknown keys,
/// wrong types, expressions that do not parse or name no known row, table or quantity, ids that come twice,
/// and for a kernel outside of the experiment's folder and of `granted`, folders that the user allows.
Experiment load_experiment(const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& granted = {});

/// Names of the shipped experiments, sorted: those of the `.toml` files in `share_folder()/lab` that begin an
/// experiment.
std::vector<std::string> shipped_experiments();

/// The file of a shipped name, or a path to a `.toml` (anything with a slash or that ending). Throws
/// `base::InputError` with the nearest shipped names when there is none.
std::filesystem::path find_experiment(const std::string& name_or_path);

}  // namespace warptune::kernel_templates
