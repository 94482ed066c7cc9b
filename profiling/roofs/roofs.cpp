#include "profiling/roofs/roofs.h"

#include <utility>

#include "profiling/roofs/host_meter.h"
#include "profiling/roofs/roof_meter.h"

namespace warptune::profiling::roofs {

RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache) {
  const driver::Context context(ordinal);
  const driver::Stream stream = driver::make_stream();
  const driver::DeviceHelpers helpers(gpu, stream.get(), compile_cache);
  RoofMeasurements measured;
  measured.readings = measure_roofs(gpu, stream.get(), helpers, compile_cache, measured.problems);
  // Storing the readings replaces all stored ones of the GPU. If no roof could be measured, no readings are
  // returned. Otherwise the host's rates alone would replace the stored roofs.
  if (measured.readings.empty()) return measured;
  for (model::RoofReading& rate : measure_host_rates(stream.get(), helpers, measured.problems))
    measured.readings.push_back(std::move(rate));
  return measured;
}

}  // namespace warptune::profiling::roofs
