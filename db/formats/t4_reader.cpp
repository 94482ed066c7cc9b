// Reads files in T4, the JSON format of the auto-tuning community (not the GPU).
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "db/formats/imported_rows.h"
#include "db/formats/recording_readers.h"
#include "db/formats/t4_workloads.h"
#include "model/fields.h"

namespace warptune::db::formats {

namespace {

model::Status t4_status(const std::string& word, const std::filesystem::path& path) {
  if (word == "correct") return model::Status::kMeasured;
  if (word == "compile") return model::Status::kCompileFailed;
  if (word == "runtime") return model::Status::kLaunchFailed;
  if (word == "constraints") return model::Status::kLaunchInvalid;
  if (word == "correctness") return model::Status::kWrongResult;
  if (word == "timeout") return model::Status::kTimedOut;
  throw base::InputError(
      fmt::format("invalidity: expected correct, compile, runtime, constraints, correctness or timeout, "
                  "found '{}'",
                  word),
      {path.string(), 0, 0});
}

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

// Reads a count, or the product of `{x, y, z}`; 0 if it is unknown.
std::int64_t t4_extent(const recordings::Json& json) {
  if (json.is_number()) return whole_number(json.get<double>());
  if (!json.is_object() || json.empty()) return 0;
  double product = 1.0;
  for (const auto& item : json.items()) {
    const std::optional<double> extent = numeric_value(item.value());
    if (!extent) return 0;
    product *= *extent;
  }
  return std::isfinite(product) ? whole_number(product) : 0;
}

model::ResourceUse resources_of(const recordings::Json& data) {
  const auto count = [&](const char* name) {
    return whole_number(number_or_zero(member_or_null(data, name)));
  };
  model::ResourceUse use;
  use.registers_per_thread = count("registers");
  use.static_shared_bytes = count("local_memory_size");
  use.local_bytes = count("private_memory_size");
  use.threads_per_block = t4_extent(member_or_null(data, "local_size"));
  const std::int64_t threads = t4_extent(member_or_null(data, "global_size"));
  if (use.threads_per_block > 0) use.blocks = threads / use.threads_per_block;
  return use;
}

// Takes the status and the reason that `warptune db export` adds to a row. T4's `invalidity` says less.
void take_own_status(const recordings::Json& row, model::Measurement& measurement) {
  const std::optional<model::Status> status =
      model::parse_status(text_or_empty(member_or_null(row, "status")));
  if (!status) return;
  measurement.status = *status;
  measurement.reason = text_or_empty(member_or_null(row, "reason"));
}

// Takes the interval of the row's time. As all times, it stays in the file's unit until `finish`. The time of
// a dropped row is an estimate, which may lie outside of its interval.
void take_interval(const recordings::Json& row, const std::string& row_name,
                   const std::filesystem::path& path, model::Measurement& measurement) {
  const recordings::Json& json = member_or_null(row, "interval");
  const std::vector<double> interval = flat_numbers(json, recordings::kNsPerMs);
  const bool is_dropped = measurement.status == model::Status::kDropped;
  if (interval.size() != 2 || !(is_dropped || measurement.status == model::Status::kMeasured)) return;
  const double low_ns = interval.front();
  const double high_ns = interval.back();
  std::optional<model::TimeSummary>& time = measurement.time;
  const bool has_median = is_dropped || (time && low_ns <= time->median_ns && time->median_ns <= high_ns);
  if (low_ns > 0.0 && low_ns <= high_ns && has_median) {
    time = {time ? time->median_ns : model::or_nan(std::nullopt), low_ns, high_ns};
    return;
  }
  throw base::InputError(fmt::format("{}: interval: expected two positive times with the row's time between "
                                     "them, found {}",
                                     row_name, recordings::compact(json)),
                         {path.string(), 0, 0});
}

void take_workload(const recordings::Json& json, model::Recording& recording) {
  const std::string cache = recordings::text_member(json, "cache");
  const std::optional<model::CacheState> state = model::parse_cache_state(cache);
  if (!state) throw base::InputError(fmt::format("cache: expected cold, warm or unknown, found '{}'", cache));
  recording.workload = {recordings::text_member(json, "kernel"), recordings::text_member(json, "kernel_hash"),
                        recordings::values_from_json(recordings::member(json, "problem")),
                        recordings::gpu_from_json(recordings::member(json, "gpu")), *state};
  recording.default_configuration = recordings::values_from_json(recordings::member(json, "default"));
  recording.work = recordings::work_from_json(recordings::member(json, "work"));
  recording.roofs = recordings::roofs_from_json(recordings::member(json, "roofs"));
  recording.environment = recordings::environment_from_json(recordings::member(json, "environment"));
}

// Reads T4 results. Times stay in the file's unit until `ImportedRows::finish` converts them, because the
// unit may follow the rows.
class T4Reader : public RowReader {
 public:
  explicit T4Reader(const std::filesystem::path& path) : path_(path) {}

  void add(const std::string&, recordings::Json& row, const recordings::Json&) override {
    ++row_count_;
    const recordings::Json& configuration = member_or_null(row, "configuration");
    if (!configuration.is_object()) {
      throw base::InputError(
          fmt::format("results[{}]: expected a configuration, found {}", row_count_ - 1,
                      configuration.is_null() ? "none" : recordings::compact(configuration)),
          {path_.string(), 0, 0});
    }
    const std::string row_name = fmt::format("results[{}]", row_count_ - 1);
    const std::int64_t number = number_of(row);
    if (!rows_.empty() && (number == kUnnamed) != (rows_.begin()->first == kUnnamed)) {
      throw base::InputError(
          fmt::format("{}: expected that either all results or none have \"{}\"", row_name, kT4Workload),
          {path_.string(), 0, 0});
    }
    ImportedRows& rows = rows_of(row, number);
    if (!rows.has_parameters()) {
      std::vector<std::string> names;
      for (const auto& item : configuration.items()) names.push_back(item.key());
      rows.set_parameters(names);
    }
    std::vector<const recordings::Json*> values(rows.parameter_count());
    std::size_t hint = 0;
    for (const auto& item : configuration.items()) {
      const std::size_t position = rows.position(item.key(), hint++);
      if (position < values.size()) values[position] = &item.value();
    }
    model::Measurement measurement = measurement_of(row, number != kUnnamed);
    if (number != kUnnamed) take_interval(row, row_name, path_, measurement);
    rows.add(values, std::move(measurement), row_name);
  }

  std::vector<model::Recording> finish(const JsonRemainder& remainder, const UnstatedUnit& unit) override {
    if (remainder.cut_off) {
      throw base::InputError(fmt::format("the T4 file is cut off: {}", remainder.complaint),
                             {path_.string(), 0, 0});
    }
    const recordings::Json& metadata = member_or_null(remainder.members, "metadata");
    const double factor = milliseconds_per(text_or_empty(member_or_null(metadata, "timeunit")), unit, path_);
    std::vector<model::Recording> recordings;
    if (rows_.empty()) rows_.emplace(kUnnamed, path_);  // Its `finish` says that there are no rows.
    for (auto& [number, rows] : rows_) {
      model::Recording& recording = recordings.emplace_back(rows.finish(factor));
      if (number != kUnnamed) {
        describe(recording, member_or_null(metadata, kT4Workloads), number);
        continue;
      }
      recording.workload.kernel = kernel_;
      recording.workload.gpu.name = text_or_empty(member_or_null(metadata, "device"));
    }
    return recordings;
  }

 private:
  // Stands for the number of the workload in rows that have none. Rows of `warptune db export` have one, but
  // those of `warptune export` and of other tuners do not.
  static constexpr std::int64_t kUnnamed = -1;

  // The number of the row's workload.
  static std::int64_t number_of(const recordings::Json& row) {
    const recordings::Json& number = member_or_null(row, kT4Workload);
    const bool is_valid = number.is_number_integer() && number.get<std::int64_t>() >= 0;
    return is_valid ? number.get<std::int64_t>() : kUnnamed;
  }

  ImportedRows& rows_of(const recordings::Json& row, std::int64_t number) {
    if (number == kUnnamed) check_workload(row);
    ImportedRows& rows = rows_.try_emplace(number, path_).first->second;
    if (number != kUnnamed) rows.keep_types();
    return rows;
  }

  // Fills in the workload and its context. `warptune db export` has described them in the metadata.
  void describe(model::Recording& recording, const recordings::Json& workloads, std::int64_t number) const {
    const base::SourcePosition position{path_.string(), 0, 0};
    if (!workloads.is_array() || static_cast<std::size_t>(number) >= workloads.size()) {
      throw base::InputError(fmt::format("metadata: a result names element {} of \"{}\", but it is missing",
                                         number, kT4Workloads),
                             position);
    }
    try {
      take_workload(workloads[static_cast<std::size_t>(number)], recording);
    } catch (const base::InputError& error) {
      throw base::InputError(fmt::format("metadata: {}[{}]: {}", kT4Workloads, number, error.message()),
                             position);
    }
  }

  // A file that `warptune export` wrote may have several kernels, problems and devices, but a recording has
  // one of each.
  void check_workload(const recordings::Json& row) {
    std::string workload;
    for (const char* name : {"kernel", "problem", "device"}) {
      const recordings::Json& part = member_or_null(row, name);
      if (!part.is_null()) workload += recordings::compact(part) + " ";
    }
    if (rows_.empty()) {
      workload_ = workload;
      kernel_ = text_or_empty(member_or_null(row, "kernel"));
    } else if (workload != workload_) {
      throw base::InputError(
          fmt::format("expected results of only one kernel, problem and device, found {}and {}", workload_,
                      workload),
          {path_.string(), 0, 0});
    }
  }

  // `is_own`: whether the row has the number of a workload, as rows of `warptune db export` have.
  model::Measurement measurement_of(const recordings::Json& row, bool is_own) const {
    model::Measurement measurement;
    const std::string word = text_or_empty(member_or_null(row, "invalidity"));
    measurement.status = word.empty() ? model::Status::kMeasured : t4_status(word, path_);
    if (measurement.status != model::Status::kMeasured) measurement.reason = word;
    if (is_own) take_own_status(row, measurement);
    const recordings::Json& times = member_or_null(row, "times");
    take_times(times, measurement);
    take_measurements(member_or_null(row, "measurements"), measurement);
    measurement.resources = resources_of(member_or_null(row, "compilation_data"));
    return measurement;
  }

  static void take_times(const recordings::Json& times, model::Measurement& measurement) {
    const auto cost = [&](const char* name) { return number_or_zero(member_or_null(times, name)); };
    measurement.samples_ns = flat_numbers(member_or_null(times, "runtimes"), recordings::kNsPerMs);
    // KTT uses the name compilation_time.
    measurement.compile_ms = cost("compilation") + cost("compilation_time");
    measurement.measure_ms = cost("framework") + cost("search_algorithm") + cost("validation");
    const bool has_benchmark = member_or_null(times, "benchmark").is_number();
    measurement.measure_ms +=
        has_benchmark ? cost("benchmark") : sum_of(measurement.samples_ns) / recordings::kNsPerMs;
    if (!measurement.samples_ns.empty()) {
      measurement.time = model::TimeSummary{sum_of(measurement.samples_ns) /
                                            static_cast<double>(measurement.samples_ns.size())};
    }
  }

  static void take_measurements(const recordings::Json& measurements, model::Measurement& measurement) {
    if (!measurements.is_array()) return;
    for (const recordings::Json& entry : measurements) {
      const std::string name = text_or_empty(member_or_null(entry, "name"));
      const std::optional<double> value = numeric_value(member_or_null(entry, "value"));
      if (!value || !std::isfinite(*value)) continue;
      if (name == "time") {
        measurement.time = model::TimeSummary{*value * recordings::kNsPerMs};
      } else if (!name.empty()) {
        measurement.counters[name] = *value;
      }
    }
  }

  std::filesystem::path path_;
  std::map<std::int64_t, ImportedRows> rows_;  // By the number of the workload.
  std::size_t row_count_ = 0;
  std::string workload_;
  std::string kernel_;
};

}  // namespace

std::unique_ptr<RowReader> make_t4_reader(const std::filesystem::path& path) {
  return std::make_unique<T4Reader>(path);
}

}  // namespace warptune::db::formats
