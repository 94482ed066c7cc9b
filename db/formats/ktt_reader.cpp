#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "db/formats/imported_rows.h"
#include "db/formats/recording_readers.h"

namespace warptune::db::formats {

namespace {

model::Status ktt_status(const std::string& word) {
  if (word == "Ok") return model::Status::kMeasured;
  if (word == "CompilationFailed") return model::Status::kCompileFailed;
  if (word == "ValidationFailed") return model::Status::kWrongResult;
  if (word == "DeviceLimitsExceeded") return model::Status::kLaunchInvalid;
  return model::Status::kLaunchFailed;
}

std::int64_t ktt_extent(const recordings::Json& size) {
  double product = size.is_object() ? 1.0 : 0.0;
  for (const char* axis : {"X", "Y", "Z"}) product *= number_or_zero(member_or_null(size, axis));
  return whole_number(product);
}

// Reads results of KTT (Kernel Tuning Toolkit). Times stay in the file's unit until `ImportedRows::finish`
// converts them, because the unit may follow the rows.
class KttReader : public RowReader {
 public:
  explicit KttReader(const std::filesystem::path& path) : path_(path), rows_(path) {}

  void add(const std::string&, recordings::Json& row, const recordings::Json& members) override {
    const std::string row_name = fmt::format("Results[{}]", row_count_++);
    const recordings::Json& pairs = member_or_null(row, "Configuration");
    if (!pairs.is_array()) {
      throw base::InputError(row_name + ": expected a member \"Configuration\" that is an array",
                             {path_.string(), 0, 0});
    }
    if (!rows_.has_parameters()) set_parameters(pairs);
    std::vector<const recordings::Json*> values(rows_.parameter_count());
    std::size_t hint = 0;
    for (const recordings::Json& pair : pairs) {
      const std::size_t position = rows_.position(text_or_empty(member_or_null(pair, "Name")), hint++);
      const recordings::Json& value = member_or_null(pair, "Value");
      if (position < values.size() && !value.is_null()) values[position] = &value;
    }
    if (kernel_.empty()) kernel_ = text_or_empty(member_or_null(row, "KernelName"));
    rows_.add(values, measurement_of(row, members), row_name);
  }

  std::vector<model::Recording> finish(const JsonRemainder& remainder, const UnstatedUnit& unit) override {
    if (remainder.cut_off) {
      throw base::InputError(fmt::format("the KTT results are cut off: {}", remainder.complaint),
                             {path_.string(), 0, 0});
    }
    const recordings::Json& metadata = member_or_null(remainder.members, "Metadata");
    const std::string stated = text_or_empty(member_or_null(metadata, "TimeUnit"));
    model::Recording recording = rows_.finish(milliseconds_per(stated, unit, path_));
    recording.workload.kernel = kernel_;
    recording.workload.gpu.name = text_or_empty(member_or_null(metadata, "Device"));
    return {std::move(recording)};
  }

 private:
  void set_parameters(const recordings::Json& pairs) {
    std::vector<std::string> names;
    for (const recordings::Json& pair : pairs) names.push_back(text_or_empty(member_or_null(pair, "Name")));
    rows_.set_parameters(names);
  }

  // A row has one computation for each kernel that the configuration ran. The resources and counters are
  // those of the longest one. The "Overhead" of a computation is the time for compiling and launching it; KTT
  // 2.1 gives only this sum. "TotalOverhead" also includes moving data, validation, searching and profiling.
  model::Measurement measurement_of(const recordings::Json& row, const recordings::Json& members) const {
    model::Measurement measurement;
    const std::string word = text_or_empty(member_or_null(row, "Status"));
    measurement.status = ktt_status(word);
    if (measurement.status != model::Status::kMeasured) measurement.reason = word;
    double duration = number_or_zero(member_or_null(row, "ExtraDuration"));
    double longest = -1.0;
    double overhead = 0.0;
    const recordings::Json& computations = member_or_null(row, "ComputationResults");
    for (const recordings::Json& computation : computations) {
      const double own = number_or_zero(member_or_null(computation, "Duration"));
      duration += own;
      overhead += number_or_zero(member_or_null(computation, "Overhead"));
      if (own > longest) {
        longest = own;
        take_computation(computation, uses_blocks(members), measurement);
      }
    }
    const recordings::Json& total = member_or_null(row, "TotalDuration");
    if (total.is_number()) duration = total.get<double>();
    const double all_overhead = std::max(overhead, number_or_zero(member_or_null(row, "TotalOverhead")));
    if (computations.empty()) overhead = all_overhead;
    measurement.compile_ms = overhead;
    measurement.measure_ms = number_or_zero(duration) + all_overhead - overhead;
    measurement.time = model::TimeSummary{duration * recordings::kNsPerMs};
    if (measurement.status == model::Status::kMeasured)
      measurement.samples_ns = {duration * recordings::kNsPerMs};
    return measurement;
  }

  // Whether global sizes are counted in blocks (as in CUDA) and not in threads.
  static bool uses_blocks(const recordings::Json& members) {
    const recordings::Json& metadata = member_or_null(members, "Metadata");
    const recordings::Json& kind = member_or_null(metadata, "GlobalSizeType");
    return text_or_empty(kind.is_null() ? member_or_null(metadata, "ComputeApi") : kind) == "CUDA";
  }

  static void take_computation(const recordings::Json& computation, bool global_in_blocks,
                               model::Measurement& measurement) {
    const recordings::Json& data = member_or_null(computation, "CompilationData");
    const auto count = [&](const char* name) {
      return whole_number(number_or_zero(member_or_null(data, name)));
    };
    model::ResourceUse& use = measurement.resources;
    use.registers_per_thread = count("RegistersCount");
    use.static_shared_bytes = count("LocalMemorySize");
    use.local_bytes = count("PrivateMemorySize");
    use.threads_per_block = ktt_extent(member_or_null(computation, "LocalSize"));
    use.blocks = ktt_extent(member_or_null(computation, "GlobalSize"));
    if (!global_in_blocks && use.threads_per_block > 0) use.blocks /= use.threads_per_block;
    measurement.counters.clear();
    const recordings::Json& counters =
        member_or_null(member_or_null(computation, "ProfilingData"), "Counters");
    for (const recordings::Json& counter : counters) {
      const std::optional<double> value = numeric_value(member_or_null(counter, "Value"));
      const std::string name = text_or_empty(member_or_null(counter, "Name"));
      if (!name.empty() && value && std::isfinite(*value)) measurement.counters[name] = *value;
    }
  }

  std::filesystem::path path_;
  ImportedRows rows_;
  std::size_t row_count_ = 0;
  std::string kernel_;
};

}  // namespace

std::unique_ptr<RowReader> make_ktt_reader(const std::filesystem::path& path) {
  return std::make_unique<KttReader>(path);
}

}  // namespace warptune::db::formats
