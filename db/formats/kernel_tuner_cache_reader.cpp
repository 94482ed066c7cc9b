#include <fmt/format.h>

#include <array>
#include <numeric>

#include "base/error.h"
#include "base/log.h"
#include "db/formats/imported_rows.h"
#include "db/formats/recording_readers.h"

namespace warptune::db::formats {

namespace {

// Old versions of Kernel Tuner write this as the time of a configuration that failed.
constexpr double kFailureTimeMs = 1e20;

model::Status cache_status(const std::string& word) {
  if (word.find("Compil") != std::string::npos) return model::Status::kCompileFailed;
  if (word.find("Invalid") != std::string::npos) return model::Status::kLaunchInvalid;
  if (word.find("Verif") != std::string::npos || word.find("Correct") != std::string::npos) {
    return model::Status::kWrongResult;
  }
  return model::Status::kLaunchFailed;
}

void fail(model::Measurement& measurement, const recordings::Json& word) {
  measurement.reason = word.is_string() ? word.get<std::string>() : recordings::compact(word);
  measurement.status = cache_status(measurement.reason);
}

model::NamedValues problem_of(const recordings::Json& members) {
  const auto found = members.find("problem_size");
  if (found == members.end()) return {};
  const recordings::Json sizes = found->is_array() ? *found : recordings::Json::array({*found});
  static constexpr std::array kNames = {"problem_size_x", "problem_size_y", "problem_size_z"};
  model::NamedValues problem;
  for (std::size_t i = 0; i < sizes.size() && i < kNames.size(); ++i) {
    if (sizes[i].is_number_integer()) {
      problem.emplace_back(kNames[i], sizes[i].get<std::int64_t>());
    } else {
      problem.emplace_back(
          kNames[i], sizes[i].is_string() ? sizes[i].get<std::string>() : recordings::compact(sizes[i]));
    }
  }
  return problem;
}

class KernelTunerCacheReader : public RowReader {
 public:
  explicit KernelTunerCacheReader(const std::filesystem::path& path) : path_(path), rows_(path) {}

  void add(const std::string& name, recordings::Json& row, const recordings::Json& members) override {
    if (!rows_.has_parameters() && !set_parameters(members)) {
      early_rows_.emplace_back(name, std::move(row));
      return;
    }
    add_row(name, row);
  }

  // The times of a cache are always in milliseconds. `milliseconds_per` is called only as a check: it throws
  // if the user names another unit.
  std::vector<model::Recording> finish(const JsonRemainder& remainder, const UnstatedUnit& unit) override {
    milliseconds_per("ms", unit, path_);
    const recordings::Json& members = remainder.members;
    if (!rows_.has_parameters() && !set_parameters(members)) {
      throw base::InputError(
          "expected a Kernel Tuner cache with \"tune_params_keys\", but the file has no such member",
          {path_.string(), 0, 0});
    }
    for (auto& [name, row] : early_rows_) add_row(name, row);
    if (remainder.cut_off_in_row) {
      base::log_warning(
          fmt::format("{}: this cache is cut off in an entry; the entries before it are read: {}",
                      path_.string(), remainder.complaint));
    } else if (remainder.cut_off) {
      base::log_info(fmt::format(
          "{}: this cache is still being written; the rows that it has so far are read", path_.string()));
    }
    model::Recording recording = rows_.finish();
    const auto text = [&](const char* name) {
      const auto found = members.find(name);
      return found != members.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    recording.workload.kernel = text("kernel_name");
    recording.workload.gpu.name = text("device_name");
    recording.workload.problem = problem_of(members);
    return {std::move(recording)};
  }

 private:
  bool set_parameters(const recordings::Json& members) {
    const auto declared = members.find("tune_params");
    const auto keys = members.find("tune_params_keys");
    std::vector<std::string> names;
    if (keys != members.end() && keys->is_array()) {
      for (const recordings::Json& key : *keys)
        names.push_back(key.is_string() ? key.get<std::string>() : recordings::compact(key));
    } else if (declared != members.end() && declared->is_object()) {
      for (const auto& item : declared->items()) names.push_back(item.key());
    }
    if (names.empty()) return false;
    rows_.set_parameters(names);
    if (declared != members.end() && declared->is_object()) {
      for (const auto& item : declared->items()) rows_.declare_values(item.key(), item.value());
    }
    return true;
  }

  void add_row(const std::string& name, const recordings::Json& row) {
    std::vector<const recordings::Json*> values(rows_.parameter_count());
    model::Measurement measurement;
    measurement.status = model::Status::kMeasured;
    const recordings::Json* error = nullptr;
    std::size_t hint = 0;
    for (const auto& item : row.items()) {
      const std::size_t position = rows_.position(item.key(), hint++);
      if (position < values.size()) {
        values[position] = &item.value();
      } else if (item.key() == "__error__") {
        error = &item.value();
      } else {
        take(item.key(), item.value(), measurement);
      }
    }
    if (error != nullptr && !error->is_null()) fail(measurement, *error);
    if (measurement.status == model::Status::kMeasured && !measurement.time &&
        !measurement.samples_ns.empty()) {
      const std::vector<double>& samples = measurement.samples_ns;
      measurement.time = model::TimeSummary{std::accumulate(samples.begin(), samples.end(), 0.0) /
                                            static_cast<double>(samples.size())};
    }
    rows_.add(values, std::move(measurement), fmt::format("cache entry '{}'", name));
  }

  static void take(const std::string& name, const recordings::Json& value, model::Measurement& measurement) {
    if (name == "time") {
      const std::optional<double> time_ms = numeric_value(value);
      if (value.is_string() && !time_ms) {
        fail(measurement, value);
      } else if (time_ms >= kFailureTimeMs) {
        fail(measurement, "RuntimeFailedConfig");
      } else if (time_ms) {
        measurement.time = model::TimeSummary{*time_ms * recordings::kNsPerMs};
      }
    } else if (name == "times") {
      measurement.samples_ns = flat_numbers(value, recordings::kNsPerMs);
    } else if (name == "compile_time") {
      measurement.compile_ms = numeric_value(value).value_or(0.0);
    } else if (name == "benchmark_time" || name == "verification_time" || name == "strategy_time" ||
               name == "framework_time") {
      measurement.measure_ms += number_or_zero(value);
    } else if (value.is_number()) {
      measurement.counters[name] = value.get<double>();
    }
  }

  std::filesystem::path path_;
  ImportedRows rows_;
  /// Rows that came before the parameters' names.
  std::vector<std::pair<std::string, recordings::Json>> early_rows_;
};

}  // namespace

std::unique_ptr<RowReader> make_kernel_tuner_cache_reader(const std::filesystem::path& path) {
  return std::make_unique<KernelTunerCacheReader>(path);
}

}  // namespace warptune::db::formats
