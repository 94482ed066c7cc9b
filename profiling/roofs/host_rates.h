#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/roof_reading.h"

namespace warptune::profiling::roofs {

/// What the host reaches with a GPU. Such a rate is stored beside the roofs, as a `model::RoofReading` with
/// its name. Databases of earlier versions have none.
struct HostRate {
  std::string_view name;
  std::string_view unit;  ///< `byte/s` or `s`.
  std::string_view note;  ///< For people.
};

/// `host_to_device_pinned`, `device_to_host_pinned`, `host_to_device_pageable`, `device_to_host_pageable`:
/// large copies. `launch`: the time of one of many launches of an empty kernel.
std::span<const HostRate> host_rates();
/// Returns null when no rate has the name.
const HostRate* find_host_rate(std::string_view name);

/// What the rules for host programs use of the rates. A member is empty if it was not measured.
struct MeasuredHost {
  /// The link between host and GPU in one direction: the rate of pinned copies, the faster of both ways.
  std::optional<double> link_bytes_per_s;
  std::optional<double> launch_s;
};
MeasuredHost measured_host(const std::vector<model::RoofReading>& readings);

}  // namespace warptune::profiling::roofs
