#include "tuner/text_output/roof_text.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "model/fields.h"
#include "profiling/roofs/host_rates.h"

namespace warptune::tuner::text_output {

namespace {

std::optional<model::ArithmeticUnit> unit_of(const model::RoofKind& kind) {
  return kind.is_memory ? std::nullopt : model::parse_arithmetic_unit(kind.name);
}

std::optional<double> theory_of(const model::RoofKind& kind, const model::GpuDescription& gpu) {
  if (kind.is_memory) return model::from_stored_number(static_cast<double>(gpu.memory_bandwidth_bytes_per_s));
  if (unit_of(kind) != model::ArithmeticUnit::kFp32) return std::nullopt;
  return model::from_stored_number(gpu.peak_fp32_flops());
}

// On GPUs of compute capability 10 and 11, the fastest tensor-core instruction (`tcgen05`) is not measured.
// There the reading is a lower bound.
std::string note_of(const model::RoofKind& kind, const model::GpuDescription& gpu) {
  const bool lower_bound = gpu.compute_major == 10 || gpu.compute_major == 11;
  return unit_of(kind) == model::ArithmeticUnit::kTensor && lower_bound ? "by mma.sync, a lower bound" : "";
}

}  // namespace

std::string roof_value_text(const model::RoofKind& kind, double value) {
  return kind.is_memory ? fmt::format("{:.2f} TB/s", value * 1e-12)
                        : fmt::format("{:.1f} TFLOP/s", value * 1e-12);
}

std::string roofs_line(const model::Roofs& roofs) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const std::optional<double> theory = roofs.fp32_theory_flops_per_s;
  for (const model::RoofKind& kind : model::measured_roofs()) {
    const std::optional<double> value = roofs.*(kind.value);
    const bool has_theory = unit_of(kind) == model::ArithmeticUnit::kFp32 && theory;
    if (value) {
      add(fmt::format("{} {}{}", kind.name, roof_value_text(kind, *value),
                      has_theory ? fmt::format(" (theory {:.1f})", *theory * 1e-12) : ""));
    } else if (has_theory) {
      add(fmt::format("{} {} in theory", kind.name, roof_value_text(kind, *theory)));
    }
  }
  return text.empty() ? "unknown" : text;
}

std::vector<RoofRow> roof_rows(const std::vector<model::RoofReading>& readings,
                               const model::GpuDescription& gpu) {
  const model::Roofs roofs = model::roofs_of(readings, gpu);
  std::vector<RoofRow> rows;
  rows.reserve(readings.size());
  for (const model::RoofKind& kind : model::measured_roofs()) {
    for (const model::RoofReading& reading : readings) {
      if (reading.name != kind.name) continue;
      const auto unit = unit_of(kind);
      rows.push_back({reading, note_of(kind, gpu), theory_of(kind, gpu),
                      unit ? model::ridge_flops_per_byte(roofs, *unit) : std::nullopt});
    }
  }
  for (const profiling::roofs::HostRate& rate : profiling::roofs::host_rates()) {
    for (const model::RoofReading& reading : readings) {
      if (reading.name == rate.name)
        rows.push_back({reading, std::string(rate.note), std::nullopt, std::nullopt});
    }
  }
  return rows;
}

std::string reading_value_text(const model::RoofReading& reading) {
  if (const model::RoofKind* kind = model::find_roof(reading.name); kind != nullptr)
    return roof_value_text(*kind, reading.value);
  const profiling::roofs::HostRate* const rate = profiling::roofs::find_host_rate(reading.name);
  if (rate != nullptr && rate->unit == "s") return base::format_time_ns(reading.value * 1e9);
  return fmt::format("{:.1f} GB/s", reading.value * 1e-9);
}

std::string_view reading_unit(const model::RoofReading& reading) {
  if (const model::RoofKind* kind = model::find_roof(reading.name); kind != nullptr)
    return kind->is_memory ? "byte/s" : "FLOP/s";
  const profiling::roofs::HostRate* const rate = profiling::roofs::find_host_rate(reading.name);
  return rate == nullptr ? "" : rate->unit;
}

}  // namespace warptune::tuner::text_output
