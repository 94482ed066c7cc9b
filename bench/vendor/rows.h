#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/expression.h"
#include "model/value.h"

namespace warptune::bench::vendor {

/// What a row is to reach: both where both are given. Shares of 1.
struct Goal {
  std::optional<double> ratio;  ///< The reference's time over the best configuration's.
  std::optional<double> roof;   ///< The roof's time over the best configuration's.

  std::string text() const;
};

/// One line of the table: a kernel, a problem, what it is held against.
struct Row {
  std::string name;    ///< Of kernel and problem, unless given: what --rows is matched with.
  std::string kernel;  ///< A shipped name.
  model::NamedValues problem;
  std::vector<std::string> references;  ///< Names of `references()`; the first is judged.
  std::string restrict_text;            ///< Empty: any configuration.
  std::optional<model::Expression> restrict_to;
  Goal goal;
  int priority = 1;          ///< 1 is measured first.
  std::size_t position = 0;  ///< In the file.
};

/// Reads `rows.toml`, by priority, else in the order written. Throws `base::InputError` on unknown keys and
/// wrong types.
std::vector<Row> read_rows(const std::filesystem::path& path);

}  // namespace warptune::bench::vendor
