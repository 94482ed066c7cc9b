#include "profiling/detail/metric_planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace warptune::profiling::detail {

ProfilerHost::ProfilerHost(const std::string& chip) {
  const std::vector<std::string> chips = supported_chips();
  if (std::find(chips.begin(), chips.end(), chip) == chips.end()) {
    throw base::InputError(fmt::format("CUPTI knows no chip \"{}\"{}; it knows {}", chip,
                                       base::did_you_mean(chip, chips), fmt::join(chips, " ")));
  }
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, parameters);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = chip.c_str();
  WARPTUNE_CUPTI(cuptiProfilerHostInitialize, &parameters);
  object_ = parameters.pHostObject;
}

ProfilerHost::~ProfilerHost() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, parameters);
  parameters.pHostObject = object_;
  cupti().cuptiProfilerHostDeinitialize(&parameters);
}

std::vector<std::uint8_t> ProfilerHost::configure(const std::vector<std::string>& metrics) {
  std::vector<const char*> names = as_pointers(metrics);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = object_;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  WARPTUNE_CUPTI(cuptiProfilerHostConfigAddMetrics, &add);

  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = object_;
  WARPTUNE_CUPTI(cuptiProfilerHostGetConfigImageSize, &size);

  std::vector<std::uint8_t> image(size.configImageSize);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, get);
  get.pHostObject = object_;
  get.configImageSize = image.size();
  get.pConfigImage = image.data();
  WARPTUNE_CUPTI(cuptiProfilerHostGetConfigImage, &get);
  return image;
}

std::vector<std::string> supported_chips() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips_Params, parameters);
  WARPTUNE_CUPTI(cuptiProfilerHostGetSupportedChips, &parameters);
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

bool has_metric(const std::string& chip, const std::string& metric) {
  try {
    ProfilerHost host(chip);
    host.configure({metric});
    return true;
  } catch (const CuptiError&) {
    return false;
  }
}

std::size_t count_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return 0;
  ProfilerHost host(chip);
  std::vector<std::uint8_t> image = host.configure(metrics);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image.size();
  passes.pConfigImage = image.data();
  WARPTUNE_CUPTI(cuptiProfilerHostGetNumOfPasses, &passes);
  return passes.numOfPasses;
}

std::vector<std::string> fit_one_pass(const std::string& chip, const std::vector<std::string>& metrics) {
  std::vector<std::string> known;
  for (const std::string& metric : metrics) {
    if (has_metric(chip, metric)) known.push_back(metric);
  }
  if (count_passes(chip, known) <= 1) return known;
  std::vector<std::string> kept;
  for (const std::string& metric : known) {
    kept.push_back(metric);
    if (count_passes(chip, kept) > 1) kept.pop_back();
  }
  return kept;
}

std::vector<const char*> as_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace warptune::profiling::detail
