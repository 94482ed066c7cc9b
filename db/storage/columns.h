#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "db/store.h"
#include "model/fields.h"

/// The columns of each table whose rows are structures. `visit_columns(object, visit)` calls
/// `visit(ColumnName, member)` for each column. Columns are written and read in this order. To add a column,
/// add the member here or to its list in `model/fields.h`, and add a step to `migrations()`.
namespace warptune::db::storage {

/// A column's name in two parts, so that visiting a row allocates no string.
struct ColumnName {
  const char* prefix;
  const char* name;
  std::string text() const { return std::string(prefix) + name; }
};

/// Turns a visitor of columns into a visitor of fields. The name of a field's column is `prefix` and the
/// field's name.
template <class Visit>
auto columns_after(const char* prefix, Visit& visit) {
  return [prefix, &visit](const char* name, auto& member) { visit(ColumnName{prefix, name}, member); };
}

/// The columns of `session` for the roofs with which its rates are compared.
template <model::MaybeConst<model::Roofs> Object, class Visit>
void visit_roof_columns(Object& roofs, Visit&& visit) {
  visit_fields(roofs, columns_after("roof_", visit));
}

/// The columns of `session`, without the references to other tables and without `search_state`.
template <model::MaybeConst<Session> Object, class Visit>
void visit_columns(Object& session, Visit&& visit) {
  const auto column = columns_after("", visit);
  visit_fields(session.environment, column);
  visit_roof_columns(session.roofs, visit);
  visit_fields(session.work, columns_after("work_", visit));
  column("strategy", session.strategy);
  column("seed", session.seed);
  column("budget", session.budget);
  column("objective", session.objective);
  column("replayed", session.source);
  column("started_ms", session.started_ms);
  column("finished_ms", session.finished_ms);
  column("space_size", session.space_size);
  column("default_configuration", session.default_configuration);
}

/// The columns of `measurement`, without the references to other tables and without `preferred`. A missing
/// time is NaN.
template <model::MaybeConst<model::Measurement> Object, class Visit>
void visit_columns(Object& measurement, Visit&& visit) {
  const auto column = columns_after("", visit);
  visit_fields(measurement, [&](const char* name, auto&& member) {
    using Member = std::remove_const_t<std::remove_reference_t<decltype(member)>>;
    if constexpr (std::same_as<Member, model::NamedValues> || std::same_as<Member, model::Counters>) {
      return;  // The configuration and the counters have tables of their own.
    } else if constexpr (requires { member.time; } || std::same_as<Member, model::ResourceUse>) {
      visit_fields(member, column);
    } else if constexpr (std::same_as<Member, std::vector<double>>) {
      column("samples", member);  // In ns. The first schema named the column without its unit.
    } else {
      column(name, member);
    }
  });
  column("replayed", measurement.source);
}

/// The columns of `roof`, without the GPU's key.
template <model::MaybeConst<model::RoofReading> Object, class Visit>
void visit_columns(Object& reading, Visit&& visit) {
  visit_fields(reading, columns_after("", visit));
}

/// The columns of `gpu`, without its key and its description as JSON. They are for users' own queries.
/// warptune only writes them: it reads a GPU from the description.
template <class Visit>
void visit_columns(const model::GpuDescription& gpu, Visit&& visit) {
  const auto column = columns_after("", visit);
  column("name", gpu.name);
  column("compute_major", gpu.compute_major);
  column("compute_minor", gpu.compute_minor);
  column("sm_count", gpu.sm_count);
  column("l2_bytes", gpu.l2_bytes);
  column("memory_bytes", gpu.memory_bytes);
  column("memory_bandwidth_bytes_per_s", gpu.memory_bandwidth_bytes_per_s);
  column("max_clock_khz", gpu.max_clock_khz);
  column("ecc", gpu.ecc);
  column("mig", gpu.mig);
}

/// The names of the columns of a structure's table, in order.
template <class Object>
std::vector<std::string> columns_of() {
  std::vector<std::string> columns;
  const Object object{};
  visit_columns(object, [&](const ColumnName& column, const auto&) { columns.push_back(column.text()); });
  return columns;
}

}  // namespace warptune::db::storage
