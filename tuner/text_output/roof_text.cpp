#include "tuner/text_output/roof_text.h"

#include <fmt/format.h>

#include <optional>

#include "model/fields.h"

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
  return rows;
}

}  // namespace warptune::tuner::text_output
