#include "survey/collecting/counting/counting_plan_file.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "survey/collecting/counting/counting_plan.h"
#include "survey/collecting/raw_stream.h"

namespace warptune::survey::collecting::counting {

namespace {

template <class Record>
void append_record(std::string& bytes, const Record& record) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof(record));
}

void append_padded(std::string& bytes, std::string_view part) {
  bytes += part;
  bytes.append(raw_padded(part.size()) - part.size(), '\0');
}

void append_kernel(std::string& bytes, const PlannedKernel& kernel) {
  RawPlannedKernel raw;
  raw.grid = kernel.grid;
  raw.block = kernel.block;
  raw.length = static_cast<std::uint32_t>(kernel.name.size());
  append_record(bytes, raw);
  append_padded(bytes, {kernel.name.c_str(), kernel.name.size() + 1});
}

void append_config(std::string& bytes, const profiling::counters::CountingConfig& config) {
  std::string names;
  for (const std::string& metric : config.metrics) names.append(metric.c_str(), metric.size() + 1);
  RawPlannedConfig raw;
  std::copy_n(config.chip.begin(), std::min(config.chip.size(), raw.chip.size() - 1), raw.chip.begin());
  raw.metrics = static_cast<std::uint32_t>(config.metrics.size());
  raw.names_length = static_cast<std::uint32_t>(names.size());
  raw.image_bytes = config.image.size();
  append_record(bytes, raw);
  append_padded(bytes, names);
  append_padded(bytes, {reinterpret_cast<const char*>(config.image.data()), config.image.size()});
}

}  // namespace

std::string plan_bytes(const CountingPlan& plan) {
  RawPlan raw;
  raw.kernels = static_cast<std::uint32_t>(plan.kernels.size());
  raw.configs = static_cast<std::uint32_t>(plan.configs.size());
  raw.launches = plan.launches;
  raw.longest_ns = plan.longest_ns;
  std::string bytes;
  append_record(bytes, raw);
  for (const PlannedKernel& kernel : plan.kernels) append_kernel(bytes, kernel);
  for (const profiling::counters::CountingConfig& config : plan.configs) append_config(bytes, config);
  return bytes;
}

}  // namespace warptune::survey::collecting::counting
