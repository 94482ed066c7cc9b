#include "profiling/roofs/host_rates.h"

#include <algorithm>
#include <array>

namespace warptune::profiling::roofs {

namespace {

constexpr std::array<HostRate, 5> kRates = {
    {{"host_to_device_pinned", "byte/s", "the host link"},
     {"device_to_host_pinned", "byte/s", "the host link"},
     {"host_to_device_pageable", "byte/s", "through the driver's buffer"},
     {"device_to_host_pageable", "byte/s", "through the driver's buffer"},
     {"launch", "s", "of an empty kernel, one of many"}}};

}  // namespace

std::span<const HostRate> host_rates() { return kRates; }

const HostRate* find_host_rate(std::string_view name) {
  const auto* const found =
      std::find_if(kRates.begin(), kRates.end(), [&](const HostRate& rate) { return rate.name == name; });
  return found == kRates.end() ? nullptr : &*found;
}

MeasuredHost measured_host(const std::vector<model::RoofReading>& readings) {
  MeasuredHost measured;
  for (const model::RoofReading& reading : readings) {
    if (!(reading.value > 0.0)) continue;
    if (reading.name == kRates[0].name || reading.name == kRates[1].name)
      measured.link_bytes_per_s = std::max(measured.link_bytes_per_s.value_or(0.0), reading.value);
    if (reading.name == kRates.back().name) measured.launch_s = reading.value;
  }
  return measured;
}

}  // namespace warptune::profiling::roofs
