#include "profiling/roofs.h"

#include "profiling/detail/roof_meter.h"

namespace warptune::profiling {

RoofMeasurements measure_roofs(const search::GpuDescription& gpu, int ordinal,
                               const std::filesystem::path& compile_cache) {
  const detail::Context context(ordinal);
  const detail::Stream stream = detail::make_stream();
  const detail::DeviceHelpers helpers(gpu, stream.get(), compile_cache);
  RoofMeasurements measured;
  measured.readings = detail::measure_roofs(gpu, stream.get(), helpers, compile_cache, measured.problems);
  return measured;
}

}  // namespace warptune::profiling
