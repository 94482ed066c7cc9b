#include "python/native/row_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/text.h"
#include "model/fields.h"

namespace warptune::python::native {

namespace {

using Field = std::optional<model::Value>;
/// The value of a row in one column.
using Reader = std::function<Field(const model::Measurement& row)>;

void set_bit(std::vector<std::uint8_t>& bits, std::size_t index) {
  bits[index / 8] = static_cast<std::uint8_t>(bits[index / 8] | (1U << (index % 8)));
}

template <class Number>
void add_number(std::vector<std::uint8_t>& bytes, Number number) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Number));
  std::memcpy(bytes.data() + at, &number, sizeof(Number));
}

// Text in a database may have any bytes, but Arrow requires UTF-8.
void add_text(Column& column, const std::string& text) {
  const std::string shown = base::printable(text);
  column.values.insert(column.values.end(), shown.begin(), shown.end());
  if (column.values.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw base::InputError("the text of " + column.name + " exceeds 2 GiB; choose fewer rows");
  column.offsets.push_back(static_cast<std::int32_t>(column.values.size()));
}

// Stores the value of row `index`. For a missing value, Arrow also requires an entry: false, 0 or an empty
// text.
void add_value(Column& column, std::size_t index, const Field& field) {
  if (field) {
    set_bit(column.valid, index);
  } else {
    ++column.null_count;
  }
  switch (column.format.front()) {
    case 'b':
      if (field && std::get<bool>(*field)) set_bit(column.values, index);
      return;
    case 'l':
      return add_number(column.values, field ? std::get<std::int64_t>(*field) : std::int64_t{0});
    case 'g':
      return add_number(column.values, field ? model::to_number(*field).value_or(0.0) : 0.0);
    default:
      return add_text(column, field ? std::get<std::string>(*field) : std::string());
  }
}

bool bit_of(const std::vector<std::uint8_t>& bits, std::size_t index) {
  return (bits[index / 8] >> (index % 8) & 1U) != 0;
}

template <class Number>
Number number_at(const std::vector<std::uint8_t>& bytes, std::size_t index) {
  Number number{};
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

const char* format_of(model::ValueType type) {
  switch (type) {
    case model::ValueType::kBoolean:
      return "b";
    case model::ValueType::kInteger:
      return "l";
    case model::ValueType::kReal:
      return "g";
    case model::ValueType::kText:
      break;
  }
  return "u";
}

Field known(double number) { return std::isfinite(number) ? Field(number) : std::nullopt; }
Field known(const std::optional<double>& number) { return number ? known(*number) : std::nullopt; }
Field known(const std::string& text) { return text.empty() ? std::nullopt : Field(text); }

class TableBuilder {
 public:
  explicit TableBuilder(const std::vector<model::Measurement>& rows) : rows_(rows) {
    table_.rows = static_cast<std::int64_t>(rows.size());
    for (const model::Measurement& row : rows) table_.samples_ns.push_back(row.samples_ns);
  }

  void add(const std::string& name, model::ValueType type, const Reader& read) {
    Column column;
    column.name = name;
    column.format = format_of(type);
    column.valid.resize((rows_.size() + 7) / 8);
    if (type == model::ValueType::kBoolean) column.values.resize(column.valid.size());
    if (type == model::ValueType::kText) column.offsets.push_back(0);
    for (std::size_t i = 0; i < rows_.size(); ++i) add_value(column, i, read(rows_[i]));
    table_.columns.push_back(std::move(column));
  }

  RowTable take() { return std::move(table_); }

 private:
  const std::vector<model::Measurement>& rows_;
  RowTable table_;
};

void add_parameters(TableBuilder& table, const model::Recording& recording) {
  for (const model::Parameter& parameter : recording.parameters) {
    table.add(parameter.name, model::type_of(parameter.values.front()),
              [&](const model::Measurement& row) -> Field {
                const model::Value* value = model::find(row.configuration, parameter.name);
                return value == nullptr ? std::nullopt : Field(*value);
              });
  }
}

void add_resources(TableBuilder& table) {
  const model::ResourceUse named;
  model::visit_fields(named, [&](const char* name, const auto& member) {
    using Member = std::decay_t<decltype(member)>;
    constexpr bool kReal = std::is_same_v<Member, std::optional<double>>;
    table.add(name, kReal ? model::ValueType::kReal : model::ValueType::kInteger,
              [wanted = std::string(name)](const model::Measurement& row) {
                Field found;
                if (row.resources.threads_per_block == 0) return found;  // Nothing was compiled.
                model::visit_fields(row.resources, [&](const char* at, const auto& held) {
                  if (wanted != at) return;
                  if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) {
                    found = held;
                  } else if (held) {
                    found = *held;
                  }
                });
                return found;
              });
  });
}

void add_counters(TableBuilder& table, const std::vector<model::Measurement>& rows) {
  std::set<std::string> names;
  for (const model::Measurement& row : rows) {
    for (const auto& [name, value] : row.counters) names.insert(name);
  }
  for (const std::string& name : names) {
    table.add(name, model::ValueType::kReal, [&](const model::Measurement& row) {
      const auto found = row.counters.find(name);
      return found == row.counters.end() ? std::nullopt : known(found->second);
    });
  }
}

}  // namespace

RowTable table_of(const model::Recording& recording) {
  using Row = model::Measurement;
  TableBuilder table(recording.measurements);
  add_parameters(table, recording);
  table.add("status", model::ValueType::kText,
            [](const Row& row) { return Field(std::string(model::to_string(row.status))); });
  table.add("reason", model::ValueType::kText, [](const Row& row) { return known(row.reason); });
  table.add("median_ns", model::ValueType::kReal,
            [](const Row& row) { return known(model::median_ns_of(row)); });
  table.add("low_ns", model::ValueType::kReal, [](const Row& row) { return known(model::low_ns_of(row)); });
  table.add("high_ns", model::ValueType::kReal, [](const Row& row) { return known(model::high_ns_of(row)); });
  table.add("samples", model::ValueType::kInteger,
            [](const Row& row) { return Field(static_cast<std::int64_t>(row.samples_ns.size())); });
  table.add("replayed", model::ValueType::kBoolean,
            [](const Row& row) { return Field(row.source == model::RowSource::kReplayed); });
  table.add("imported", model::ValueType::kBoolean,
            [](const Row& row) { return Field(row.source == model::RowSource::kImported); });
  table.add("compile_ms", model::ValueType::kReal, [](const Row& row) { return known(row.compile_ms); });
  table.add("measure_ms", model::ValueType::kReal, [](const Row& row) { return known(row.measure_ms); });
  table.add("time_stamp_ms", model::ValueType::kInteger,
            [](const Row& row) { return Field(row.time_stamp_ms); });
  add_resources(table);
  add_counters(table, recording.measurements);
  return table.take();
}

namespace {

// Whether `null_count` is the number of null values. `valid` must have enough bits.
bool counts_nulls(const Column& column, std::size_t rows) {
  std::int64_t nulls = 0;
  for (std::size_t row = 0; row < rows; ++row) nulls += bit_of(column.valid, row) ? 0 : 1;
  return nulls == column.null_count;
}

// Whether each text is printable UTF-8, as `add_text` writes it. The offsets must lie within the values.
bool has_valid_text(const Column& column) {
  for (std::size_t row = 0; row + 1 < column.offsets.size(); ++row) {
    const std::string_view text(reinterpret_cast<const char*>(column.values.data()) + column.offsets[row],
                                static_cast<std::size_t>(column.offsets[row + 1] - column.offsets[row]));
    if (base::printable(text) != text) return false;
  }
  return true;
}

}  // namespace

void require_layout(const RowTable& table) {
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(table.rows, 0));
  const std::size_t bits = (rows + 7) / 8;
  for (const Column& column : table.columns) {
    const std::size_t offsets = column.format == "u" ? rows + 1 : 0;
    bool is_right = table.rows >= 0 && column.valid.size() == bits && column.offsets.size() == offsets;
    if (column.format == "u") {
      is_right = is_right && column.offsets.front() == 0 && std::ranges::is_sorted(column.offsets) &&
                 static_cast<std::size_t>(column.offsets.back()) == column.values.size() &&
                 has_valid_text(column);
    } else if (column.format == "b") {
      is_right = is_right && column.values.size() == bits;
    } else {
      is_right =
          is_right && (column.format == "l" || column.format == "g") && column.values.size() == 8 * rows;
    }
    if (!is_right || !counts_nulls(column, rows))
      throw base::InputError("the column " + base::printable(column.name) + " has another layout");
  }
  if (table.samples_ns.size() != rows) throw base::InputError("the list of samples has another layout");
}

std::optional<model::Value> value_at(const Column& column, std::size_t index) {
  if (!bit_of(column.valid, index)) return std::nullopt;
  switch (column.format.front()) {
    case 'b':
      return bit_of(column.values, index);
    case 'l':
      return number_at<std::int64_t>(column.values, index);
    case 'g':
      return number_at<double>(column.values, index);
    default:
      return std::string(column.values.begin() + column.offsets[index],
                         column.values.begin() + column.offsets[index + 1]);
  }
}

}  // namespace warptune::python::native
