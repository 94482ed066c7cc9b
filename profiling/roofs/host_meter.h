#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "model/roof_reading.h"
#include "profiling/driver/device_helpers.h"

namespace warptune::profiling::roofs {

/// Measures what `host_rates` lists, by the host's clock, in about half a second. host_meter.cpp describes
/// the method. A rate that cannot be measured is left out, and `problems` gets a line that says why. Throws
/// `CudaError` after an error that makes the context unusable.
std::vector<model::RoofReading> measure_host_rates(CUstream stream, const driver::DeviceHelpers& helpers,
                                                   std::vector<std::string>& problems);

}  // namespace warptune::profiling::roofs
