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

std::optional<double> host_link_bytes_per_s(const std::vector<model::RoofReading>& readings) {
  std::optional<double> fastest;
  for (const model::RoofReading& reading : readings) {
    const bool is_link = reading.name == kRates[0].name || reading.name == kRates[1].name;
    if (is_link && reading.value > 0.0) fastest = std::max(fastest.value_or(0.0), reading.value);
  }
  return fastest;
}

}  // namespace warptune::profiling::roofs
