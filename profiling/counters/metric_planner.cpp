// Finds out which metrics a chip has and in which order to add them, so that they take few passes. CUPTI's
// host library answers both questions without a GPU.
//
// Availability: all unknown names are tried as one set. If CUPTI refuses a set, its halves are tried. A few
// unavailable names among many therefore cost few attempts.
//
// Passes: the only way to learn the number of passes of a set is to schedule it. All metrics go into one
// configuration image. This was tried with CUPTI 13.0 for GH100, GA100, AD102, TU102, GB100 and GB202, with
// the whole catalogue and with about 150 random subsets. No split into several images took fewer passes than
// the best order of one image, and most took more. For the catalogue on GH100 one image takes 12 to 14
// passes, one image per metric 53, and a greedy split 13 to 15.
//
// The order in which names are added does change the number: 12 to 14 passes on GH100, 9 to 12 on TU102, 9 to
// 12 on GA100. So several orders are tried. A set takes at least as many passes as the metric that takes the
// most passes alone, so the search stops when it has reached that number.
#include "profiling/counters/metric_planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <span>

#include "base/random.h"
#include "base/text.h"
#include "profiling/counters/derived_metrics.h"
#include "profiling/counters/metrics.h"

namespace warptune::profiling::counters {

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

bool ProfilerHost::describes(const std::string& metric) const {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties_Params, parameters);
  parameters.pHostObject = object_;
  parameters.pMetricName = metric.c_str();
  return cupti().cuptiProfilerHostGetMetricProperties(&parameters) == CUPTI_SUCCESS;
}

std::size_t passes_of(std::vector<std::uint8_t>& image) {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image.size();
  passes.pConfigImage = image.data();
  WARPTUNE_CUPTI(cuptiProfilerHostGetNumOfPasses, &passes);
  return passes.numOfPasses;
}

std::vector<std::string> supported_chips() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips_Params, parameters);
  WARPTUNE_CUPTI(cuptiProfilerHostGetSupportedChips, &parameters);
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

namespace {

/// The answers about one chip in this process.
struct ChipCache {
  std::map<std::string, bool> available;
  std::map<std::vector<std::string>, std::size_t> passes;
};

/// The stored numbers of passes are cleared when there are this many sets. A process usually asks for few.
constexpr std::size_t kMaxSets = 4096;

std::mutex& knowledge_mutex() {
  static std::mutex mutex;
  return mutex;
}

ChipCache& knowledge_of(const std::string& chip) {
  static std::map<std::string, ChipCache> knowledge;
  return knowledge[chip];
}

std::size_t schedule_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  ProfilerHost host(chip);
  std::vector<std::uint8_t> image = host.configure(metrics);
  return passes_of(image);
}

using Names = std::span<const std::string>;

/// Tries `names` together, and each half of them if CUPTI refuses that. Stores which names are available, and
/// how many passes each accepted set takes.
void try_metrics(const std::string& chip, Names names, ChipCache& knowledge) {
  if (names.empty()) return;
  const std::vector<std::string> set(names.begin(), names.end());
  try {
    knowledge.passes[set] = schedule_passes(chip, set);
    for (const std::string& name : set) knowledge.available[name] = true;
  } catch (const CuptiError&) {
    if (names.size() == 1) return;
    try_metrics(chip, names.first(names.size() / 2), knowledge);
    try_metrics(chip, names.subspan(names.size() / 2), knowledge);
  }
}

/// Returns those of `metrics` that CUPTI describes. The list is empty for a chip that CUPTI lists but refuses
/// to open (GV11B).
std::vector<std::string> described_metrics(const std::string& chip, const std::vector<std::string>& metrics) {
  std::vector<std::string> described;
  try {
    const ProfilerHost host(chip);
    std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(described),
                 [&](const std::string& metric) { return host.describes(metric); });
  } catch (const CuptiError& error) {
    if (error.code() != CUPTI_ERROR_NOT_SUPPORTED) throw;
  }
  return described;
}

void find_available(const std::string& chip, const std::vector<std::string>& metrics, ChipCache& knowledge) {
  std::vector<std::string> unclear;
  std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(unclear),
               [&](const std::string& metric) { return !knowledge.available.contains(metric); });
  if (unclear.empty()) return;
  const std::vector<std::string> described = described_metrics(chip, unclear);
  for (const std::string& metric : unclear) knowledge.available[metric] = false;
  try_metrics(chip, described, knowledge);
}

/// Returns ` (did you mean ...?)` if `name` is not in the catalogue but a similar name is. Otherwise returns
/// an empty text.
std::string nearest_in_catalogue(const std::string& name) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_catalogue()) {
    if (metric.name == name) return "";
    names.emplace_back(metric.name);
  }
  return base::did_you_mean(name, names);
}

/// Returns those of `all` that are not in `kept`.
std::vector<std::string> without(const std::vector<std::string>& all, const std::vector<std::string>& kept) {
  std::vector<std::string> rest;
  for (const std::string& name : all) {
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) rest.push_back(name);
  }
  return rest;
}

/// Returns the order to try in the given attempt. The first is alphabetical, which puts the metrics of a unit
/// next to each other. The second is the reverse of the given order. These two gave the best plans most
/// often. Later orders are random.
std::vector<std::string> reorder(const std::vector<std::string>& given, int attempt, base::Random& random) {
  std::vector<std::string> order = given;
  if (attempt == 0) {
    std::sort(order.begin(), order.end());
  } else if (attempt == 1) {
    std::reverse(order.begin(), order.end());
  } else {
    random.shuffle(order);
  }
  return order;
}

}  // namespace

std::vector<std::string> known_metrics(const std::string& chip, const std::vector<std::string>& metrics) {
  const std::lock_guard<std::mutex> lock(knowledge_mutex());
  ChipCache& knowledge = knowledge_of(chip);
  find_available(chip, metrics, knowledge);
  std::vector<std::string> known;
  for (const std::string& metric : metrics) {
    if (knowledge.available.at(metric)) known.push_back(metric);
  }
  return known;
}

bool has_metric(const std::string& chip, const std::string& metric) {
  return !known_metrics(chip, {metric}).empty();
}

std::size_t count_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return 0;
  const std::lock_guard<std::mutex> lock(knowledge_mutex());
  auto& passes = knowledge_of(chip).passes;
  if (const auto known = passes.find(metrics); known != passes.end()) return known->second;
  if (passes.size() >= kMaxSets) passes.clear();
  const std::size_t counted = schedule_passes(chip, metrics);
  passes[metrics] = counted;
  return counted;
}

MetricPlan plan_metrics(const std::string& chip, const std::vector<std::string>& asked) {
  const std::vector<std::string> wanted = expand_derived_metrics(asked);
  MetricPlan plan;
  plan.metrics = known_metrics(chip, wanted);
  plan.unknown = without(wanted, plan.metrics);
  plan.passes = count_passes(chip, plan.metrics);
  if (plan.passes <= 1) return plan;
  std::size_t minimum = 1;
  for (const std::string& metric : plan.metrics) minimum = std::max(minimum, count_passes(chip, {metric}));
  const std::vector<std::string> given = plan.metrics;
  base::Random random(1);
  for (int attempt = 0; attempt < kPlanOrders && plan.passes > minimum; ++attempt) {
    std::vector<std::string> order = reorder(given, attempt, random);
    const std::size_t passes = count_passes(chip, order);
    if (passes >= plan.passes) continue;
    plan.passes = passes;
    plan.metrics = std::move(order);
  }
  return plan;
}

std::vector<std::string> fit_one_pass(const std::string& chip, const std::vector<std::string>& metrics) {
  std::vector<std::string> known = known_metrics(chip, metrics);
  if (count_passes(chip, known) <= 1) return known;
  std::vector<std::string> kept;
  for (const std::string& metric : known) {
    kept.push_back(metric);
    if (count_passes(chip, kept) > 1) kept.pop_back();
  }
  return kept;
}

MetricChoice choose_metrics(const std::string& chip, const std::vector<std::string>& asked) {
  MetricChoice choice;
  const auto warn_of_unknown = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      choice.warnings.push_back(
          fmt::format("{} has no metric {}{}: it is left out", chip, name, nearest_in_catalogue(name)));
    }
  };
  if (!asked.empty()) {
    MetricPlan plan = plan_metrics(chip, asked);
    warn_of_unknown(plan.unknown);
    choice.metrics = std::move(plan.metrics);
    choice.passes = plan.passes;
    return choice;
  }
  const std::vector<std::string> core = core_metrics();
  choice.metrics = fit_one_pass(chip, core);
  choice.passes = count_passes(chip, choice.metrics);
  const std::vector<std::string> known = known_metrics(chip, core);
  warn_of_unknown(without(core, known));
  for (const std::string& name : without(known, choice.metrics)) {
    choice.warnings.push_back(fmt::format("{} would take a second pass on {}: it is left out", name, chip));
  }
  return choice;
}

std::vector<const char*> as_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace warptune::profiling::counters
