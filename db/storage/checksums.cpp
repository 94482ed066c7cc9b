#include "db/storage/checksums.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "db/storage/columns.h"

namespace warptune::db::storage {

namespace {

// Collects the bytes that are hashed: the names and values of columns. The length of each text comes before
// it.
class HashedText {
 public:
  template <class T>
  void operator()(const ColumnName& column, const T& value) {
    if (is_default_value(value)) return;
    put_text(column.prefix);
    put_text(column.name);
    put(value);
  }
  // An unknown number is stored as 0, and a 0 is not hashed.
  template <class T>
  void operator()(const ColumnName& column, const std::optional<T>& number) {
    (*this)(column, model::stored_number(number));
  }

  void put(std::int64_t value) { put_bytes(&value, sizeof value); }
  void put(std::uint64_t value) { put_bytes(&value, sizeof value); }
  void put(int value) { put(std::int64_t{value}); }
  void put(bool value) { put(std::int64_t{value}); }
  void put(double value) { put_bytes(&value, sizeof value); }
  void put(std::string_view value) { put_text(value); }
  void put(model::Status value) { put_text(model::to_string(value)); }
  void put(model::ArithmeticUnit value) { put_text(model::to_string(value)); }
  void put(model::RowSource value) { put(static_cast<std::int64_t>(value)); }
  void put(const std::vector<double>& values) {
    put(values.size());
    if (!values.empty()) put_bytes(values.data(), values.size() * sizeof(double));
  }
  // Hashes in the order of the names, because the order in which values are stored has no meaning.
  void put(const model::NamedValues& values) {
    std::vector<const model::NamedValues::value_type*> sorted;
    sorted.reserve(values.size());
    for (const auto& entry : values) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    put(sorted.size());
    for (const auto* entry : sorted) {
      put_text(entry->first);
      put(std::uint64_t{entry->second.index()});
      std::visit([this](const auto& value) { put_value(value); }, entry->second);
    }
  }

  std::int64_t checksum() const { return static_cast<std::int64_t>(base::hash64(bytes_)); }

 private:
  // NaN (stored as NULL) and -0.0 may be read back as another value. They count as the default and are not
  // hashed, so the checksum is the same before and after storing.
  static bool is_default_value(double value) { return std::isnan(value) || value == 0.0; }
  static bool is_default_value(model::Status) { return false; }
  static bool is_default_value(model::RowSource value) { return value == model::RowSource{}; }
  static bool is_default_value(model::ArithmeticUnit value) { return value == model::ArithmeticUnit{}; }
  template <class T>
  static bool is_default_value(const T& value) {
    if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == T{};
    }
  }

  void put_value(const std::string& value) { put_text(value); }
  template <class T>
  void put_value(const T& value) {
    put(value);
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  void put_bytes(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

}  // namespace

std::uint64_t workload_checksum_of(std::string_view kernel, std::string_view kernel_hash,
                                   std::string_view problem_key, std::string_view gpu_key,
                                   std::string_view cache_state) {
  HashedText text;
  for (const std::string_view part : {kernel, kernel_hash, problem_key, gpu_key, cache_state}) text.put(part);
  return static_cast<std::uint64_t>(text.checksum());
}

std::int64_t checksum_of(std::uint64_t workload, std::int64_t session,
                         const model::Measurement& measurement) {
  HashedText text;
  text.put(workload);
  text.put(session);
  text.put(measurement.configuration);
  visit_columns(measurement, text);
  return text.checksum();
}

std::int64_t checksum_of(const model::Counters& counters) {
  HashedText text;
  for (const auto& [name, value] : counters) {
    text.put(std::string_view(name));
    // A counter without a value is read as NaN. NaN has several bit patterns, so 0 is hashed instead.
    text.put(std::isnan(value) || value == 0.0 ? 0.0 : value);
  }
  return text.checksum();
}

std::int64_t checksum_of(std::uint64_t workload, std::string_view gpu, const Session& session) {
  HashedText text;
  text.put(workload);
  text.put(session.workload.problem);
  text.put(gpu);
  visit_columns(session, text);
  return text.checksum();
}

std::int64_t checksum_of(std::string_view gpu_key, const model::RoofReading& reading) {
  HashedText text;
  text.put(gpu_key);
  visit_columns(reading, text);
  return text.checksum();
}

std::int64_t checksum_of(std::uint64_t workload, const model::WorkloadCode& code) {
  HashedText text;
  text.put(workload);
  for (const std::string_view part : {std::string_view(code.form), std::string_view(code.reference)})
    text.put(part);
  text.put(code.nvrtc_version);
  for (const model::ConfigurationCode& one : code.configurations) {
    text.put(one.configuration);
    text.put(std::string_view(one.digest));
  }
  return text.checksum();
}

std::int64_t search_checksum_of(std::string_view search_state) {
  return static_cast<std::int64_t>(base::hash64(search_state));
}

}  // namespace warptune::db::storage
