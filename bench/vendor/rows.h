#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/expression.h"
#include "model/value.h"

namespace warptune::bench::vendor {

/// The goal of a row. If both parts are given, both must be reached.
struct Goal {
  std::optional<double> ratio;  ///< The reference's time divided by the best configuration's time.
  std::optional<double> roof;   ///< The roof's time divided by the best configuration's time.

  std::string text() const;
};

/// A row of the table: a kernel, a problem, and the references with which it is compared.
struct Row {
  std::string name;    ///< `KERNEL PROBLEM` unless given. --rows matches it.
  std::string kernel;  ///< A shipped name.
  model::NamedValues problem;
  std::vector<std::string> references;  ///< Names of `references()`. The first one is compared with the goal.
  std::string restrict_text;            ///< The condition on configurations; empty: all are allowed.
  std::optional<model::Expression> restrict_to;
  Goal goal;
  int priority = 1;          ///< Rows with a smaller number are measured first.
  std::size_t position = 0;  ///< The position in the file.
};

/// Reads `rows.toml`. Rows are sorted by priority, and otherwise in the order of the file. Throws
/// `base::InputError` for unknown keys and wrong types.
std::vector<Row> read_rows(const std::filesystem::path& path);

}  // namespace warptune::bench::vendor
