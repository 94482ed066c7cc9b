#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "model/outputs/reproducibility.h"
#include "python/native/arrow_stream.h"
#include "python/native/bindings.h"
#include "python/native/kernel_source.h"
#include "python/native/named_values.h"
#include "python/native/row_table.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/html_report/report_data.h"
#include "tuner/html_report/report_page.h"
#include "tuner/html_report/report_plots.h"
#include "tuner/html_report/report_workloads.h"
#include "tuner/json_output/lines/output_lines.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/querying/kernel_query.h"

namespace warptune::python::native {

namespace nb = nanobind;

namespace {

using Text = std::optional<std::string>;

void choose_workload(tuner::knowledge::WorkloadSelection& selection, const KernelSource& source,
                     const Text& gpu, const Text& cache, const Text& database) {
  selection.sizes = source.sizes;
  selection.permissions = source.permissions();
  selection.gpu = gpu;
  if (cache) selection.cache = cache_state_of(*cache);
  if (database) selection.database = tuner::knowledge::database_path(*database);
}

std::string query(const KernelSource& source, const std::string& objective, const std::string& cache,
                  const Text& gpu, bool strict, const Text& reproducible, const Text& database) {
  const nb::gil_scoped_release free;
  tuner::querying::KernelQuestion question;
  question.kernel = source.kernel;
  question.sizes = source.sizes;
  question.permissions = source.permissions();
  question.gpu = gpu;
  question.cache = cache_state_of(cache);
  question.objective = model::Objective::parse(objective);
  question.strict = strict;
  if (reproducible) question.reproducible = model::outputs::Reproducibility::parse(*reproducible);
  question.compare = true;
  question.database = tuner::knowledge::database_path(
      database ? std::optional<std::filesystem::path>(*database) : std::nullopt);
  const tuner::querying::KernelAnswer answer = tuner::querying::answer(question);
  return tuner::json_output::lines::query_line(answer, question.objective);
}

// All rows of a workload, not only a sample.
std::shared_ptr<RowTable> results(const KernelSource& source, const Text& gpu, const Text& cache,
                                  const Text& database) {
  const nb::gil_scoped_release free;
  tuner::knowledge::WorkloadQuestion question;
  choose_workload(question, source, gpu, cache, database);
  question.kernel = source.kernel;
  tuner::knowledge::KnownRows known = tuner::knowledge::require_known_rows(
      question, tuner::gpus::list_local_gpus, tuner::gpus::recognise_local_gpu);
  if (known.total_rows) {
    const db::Store store =
        tuner::knowledge::open_database(tuner::knowledge::database_path(question.database));
    known.recording.measurements.clear();
    for (db::StoredMeasurement& row : store.measurements(known.recording.workload))
      known.recording.measurements.push_back(std::move(row.measurement));
  }
  return std::make_shared<RowTable>(table_of(known.recording));
}

// The rows of one session, in the order of their measurement.
std::shared_ptr<RowTable> session_results(const KernelSource& source, std::int64_t session,
                                          const Text& database) {
  const nb::gil_scoped_release free;
  tuner::knowledge::WorkloadQuestion question;
  choose_workload(question, source, std::nullopt, std::nullopt, database);
  question.kernel = source.kernel;
  const db::Store store = tuner::knowledge::open_database(tuner::knowledge::database_path(question.database));
  const std::optional<db::Session> found = store.session(session);
  if (!found) throw base::WorkError(fmt::format("the database has no session {}", session));
  question.gpu = found->workload.gpu.key();
  question.cache = found->workload.cache;
  tuner::knowledge::KnownRows known = tuner::knowledge::require_known_rows(
      question, tuner::gpus::list_local_gpus, tuner::gpus::recognise_local_gpu);
  known.recording.measurements.clear();
  for (db::StoredMeasurement& row : store.session_measurements(session))
    known.recording.measurements.push_back(std::move(row.measurement));
  return std::make_shared<RowTable>(table_of(known.recording));
}

std::vector<std::string> column_names(const RowTable& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

// The values of a column, in the order of the rows. The value is None if a row has none.
nb::list column_values(const RowTable& table, const std::string& name) {
  const auto column = std::ranges::find(table.columns, name, &Column::name);
  if (column == table.columns.end()) throw base::InputError("there is no column " + base::printable(name));
  nb::list values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i)
    values.append(nb::cast(value_at(*column, i)));
  return values;
}

template <class Number>
nb::bytes bytes_of(const std::vector<Number>& numbers) {
  return nb::bytes(numbers.data(), numbers.size() * sizeof(Number));
}

template <class Number>
std::vector<Number> numbers_of(const nb::bytes& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

using ColumnState = std::tuple<std::string, std::string, nb::bytes, std::int64_t, nb::bytes, nb::bytes>;
using TableState = std::tuple<std::int64_t, std::vector<ColumnState>, std::vector<std::vector<double>>>;

TableState table_state_of(const RowTable& table) {
  std::vector<ColumnState> columns;
  for (const Column& column : table.columns) {
    columns.emplace_back(column.name, column.format, bytes_of(column.valid), column.null_count,
                         bytes_of(column.offsets), bytes_of(column.values));
  }
  return {table.rows, std::move(columns), table.samples_ns};
}

void restore(RowTable& place, const TableState& state) {
  RowTable table;
  table.rows = std::get<0>(state);
  for (const auto& [name, format, valid, null_count, offsets, values] : std::get<1>(state)) {
    table.columns.push_back({name, format, numbers_of<std::uint8_t>(valid), null_count,
                             numbers_of<std::int32_t>(offsets), numbers_of<std::uint8_t>(values)});
  }
  table.samples_ns = std::get<2>(state);
  require_layout(table);
  new (&place) RowTable(std::move(table));
}

tuner::html_report::ReportQuestion report_question(const KernelSource& source, const Text& gpu,
                                                   const Text& cache, const Text& database) {
  tuner::html_report::ReportQuestion question;
  choose_workload(question, source, gpu, cache, database);
  question.kernels = {source.kernel};
  return question;
}

std::string report_page(const KernelSource& source, const Text& gpu, const Text& cache, const Text& database,
                        bool with_source) {
  const nb::gil_scoped_release free;
  tuner::html_report::ReportQuestion question = report_question(source, gpu, cache, database);
  question.with_source = with_source;
  return tuner::html_report::report_page(
      tuner::html_report::report_page_folder(),
      tuner::html_report::report_json(tuner::html_report::report_workloads(question), base::unix_time_ms()));
}

std::string plot(const KernelSource& source, const std::string& name, const Text& gpu, const Text& cache,
                 const Text& database) {
  const nb::gil_scoped_release free;
  const std::vector<tuner::html_report::ReportWorkload> workloads =
      tuner::html_report::report_workloads(report_question(source, gpu, cache, database));
  if (workloads.size() > 1) {
    throw base::InputError(fmt::format(
        "a plot shows one workload, and these are {}; choose by sizes, gpu= and cache=", workloads.size()));
  }
  return tuner::html_report::report_plot(workloads.front(), name);
}

}  // namespace

void bind_questions(nb::module_& module) {
  nb::class_<RowTable>(module, "RowTable", "Rows of a workload as columns.")
      .def_ro("rows", &RowTable::rows)
      .def_prop_ro("columns", &column_names)
      .def("values", &column_values, nb::arg("name"),
           "The values of a column. The value is None if a row has none.")
      .def_ro("samples_ns", &RowTable::samples_ns)
      .def("__getstate__", &table_state_of)
      .def("__setstate__", &restore, nb::arg("state"))
      .def(
          "__arrow_c_stream__",
          [](std::shared_ptr<RowTable> table, const nb::object&) { return arrow_stream(std::move(table)); },
          nb::arg("requested_schema") = nb::none());
  module.def("query", &query, nb::arg("source"), nb::arg("objective"), nb::arg("cache"),
             nb::arg("gpu").none(), nb::arg("strict"), nb::arg("reproducible").none(),
             nb::arg("database").none());
  module.def("results", &results, nb::arg("source"), nb::arg("gpu").none(), nb::arg("cache").none(),
             nb::arg("database").none());
  module.def("session_results", &session_results, nb::arg("source"), nb::arg("session"),
             nb::arg("database").none());
  module.def("plot", &plot, nb::arg("source"), nb::arg("name"), nb::arg("gpu").none(),
             nb::arg("cache").none(), nb::arg("database").none());
  module.def("report_page", &report_page, nb::arg("source"), nb::arg("gpu").none(), nb::arg("cache").none(),
             nb::arg("database").none(), nb::arg("with_source"));
}

}  // namespace warptune::python::native
