#include "profiling/roofs/roofs.h"

#include "profiling/roofs/roof_meter.h"

namespace warptune::profiling::roofs {

RoofMeasurements measure_roofs(const model::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache) {
  const driver::Context context(ordinal);
  const driver::Stream stream = driver::make_stream();
  const driver::DeviceHelpers helpers(gpu, stream.get(), compile_cache);
  RoofMeasurements measured;
  measured.readings = measure_roofs(gpu, stream.get(), helpers, compile_cache, measured.problems);
  return measured;
}

}  // namespace warptune::profiling::roofs
