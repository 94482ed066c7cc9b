#include "model/roof_reading.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace warptune::model {

namespace {

constexpr std::array<RoofKind, 5> kMeasuredRoofs = {{{"copy", &Roofs::copy_bytes_per_s, true},
                                                     {"read", &Roofs::read_bytes_per_s, true},
                                                     {"fp32", &Roofs::fp32_measured_flops_per_s, false},
                                                     {"fp64", &Roofs::fp64_flops_per_s, false},
                                                     {"tensor", &Roofs::tensor_flops_per_s, false}}};

}  // namespace

std::span<const RoofKind> measured_roofs() { return kMeasuredRoofs; }

const RoofKind* find_roof(std::string_view name) {
  const auto* found = std::find_if(kMeasuredRoofs.begin(), kMeasuredRoofs.end(),
                                   [&](const RoofKind& kind) { return kind.name == name; });
  return found == kMeasuredRoofs.end() ? nullptr : &*found;
}

Roofs roofs_of(const std::vector<RoofReading>& readings, const GpuDescription& gpu) {
  Roofs roofs;
  if (const double peak = gpu.peak_fp32_flops(); peak > 0.0) roofs.fp32_theory_flops_per_s = peak;
  for (const RoofReading& reading : readings) {
    const RoofKind* kind = find_roof(reading.name);
    if (kind != nullptr && reading.value > 0.0) roofs.*(kind->value) = reading.value;
  }
  return roofs;
}

}  // namespace warptune::model
