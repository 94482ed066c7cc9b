#include "profiling/roofs.h"

#include "profiling/detail/roof_meter.h"

namespace warptune::profiling {

RoofSurvey survey_roofs(const search::GpuDescription& gpu, int ordinal,
                        const std::filesystem::path& compile_cache) {
  const detail::Context context(ordinal);
  const detail::Stream stream = detail::make_stream();
  const detail::DeviceHelpers helpers(gpu, stream.get(), compile_cache);
  RoofSurvey survey;
  survey.readings = detail::measure_roofs(gpu, stream.get(), helpers, compile_cache, survey.problems);
  return survey;
}

}  // namespace warptune::profiling
