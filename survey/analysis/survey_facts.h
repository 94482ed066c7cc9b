// What the findings of a survey are computed from.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "survey/analysis/idle_causes.h"
#include "survey/analysis/kernel_times.h"
#include "survey/analysis/start_up.h"
#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

/// One GPU's part of the facts.
struct DeviceFacts {
  DeviceTimeline timeline;
  std::array<IntervalSet, kIdleCauses> idle;
  GapCosts gaps;  ///< After the start-up. They are 0 if idle time is uncertain.
  /// The host's own work in long gaps (`GapCosts::host`) by the innermost NVTX range in which the gap begins.
  /// Gaps outside of all ranges do not count.
  std::map<records::Index, std::int64_t> host_gaps_by_range;
};

/// What a survey says whatever part of it is looked at.
struct WholeRun {
  StartUp start_up;
  CodeLoads loads;
  bool idle_is_uncertain = false;  ///< As the function of this name (device_timeline.h) says.
};

/// The facts of one survey, or of a part of it. It refers to the survey, which must outlive it.
struct SurveyFacts {
  const records::Survey* survey = nullptr;
  std::int64_t run = 0;  ///< The observed time that these facts are about, in nanoseconds.
  WholeRun whole;
  std::optional<double> host_link_bytes_per_s;
  bool host_link_is_measured = false;  ///< Whether that rate was measured; else it is the theoretical one.
  std::optional<double> launch_s;      ///< As in `AnalysisOptions`.
  std::vector<DeviceFacts> devices;
  std::vector<std::optional<GridFit>> fits;  ///< By shape.
  std::vector<KernelTime> kernels;
  std::int64_t launches = 0;
  std::int64_t short_launches = 0;

  const records::Launch& launch(const Work& work) const { return survey->launches[work.record]; }
  const records::Copy& copy(const Work& work) const { return survey->copies[work.record]; }
  const records::KernelShape& shape(const Work& work) const { return survey->shapes[launch(work).shape]; }
  /// When the host began the call that gave this work to the GPU, if the call is known.
  std::optional<std::int64_t> given_at(const Work& work) const;
};

/// The facts of a part of a survey. `observed` is the observed time, or the part of it that is looked at.
SurveyFacts facts_of(const records::Survey& survey, const IntervalSet& observed, const WholeRun& run,
                     const AnalysisOptions& options);

/// The largest value that a function returns for the GPUs: with several, the one that would save most counts.
std::int64_t largest(const SurveyFacts& facts, const std::function<std::int64_t(const DeviceFacts&)>& saved);

/// Some copies and what they cost one GPU.
struct CopyCost {
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t duration = 0;  ///< The sum of the copies' durations, in nanoseconds.
  std::int64_t alone = 0;     ///< How long they ran and nothing else did.
  /// How long the GPU was idle while a thread was within one of their calls. It is 0 if idle time is
  /// uncertain.
  std::int64_t idle = 0;

  std::int64_t cost() const { return alone + idle; }
};

/// The cost of those copies of a GPU that a function selects.
CopyCost cost_of_copies(const SurveyFacts& facts, const DeviceFacts& device,
                        const std::function<bool(const Work&)>& selects);

/// Copies of fewer bytes are small. At the rate of a PCI Express link (25 to 60 GB/s), 64 KiB take 1 to 3 us,
/// which is less than a copy costs in any case.
constexpr std::uint64_t kSmallCopy = 65536;

}  // namespace warptune::survey::analysis
