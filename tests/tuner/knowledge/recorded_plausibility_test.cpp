// No recorded row of a shipped kernel or of the lab is implausible. Prints how far each bound is from the
// measured values; bench/results/plausibility.toml quotes it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/recording_file.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "profiling/verification/plausibility.h"
#include "search/analysis/timed_rows.h"
#include "tests/kernel_templates/library_cases.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/shipped_recordings.h"

namespace warptune::tuner::knowledge {
namespace {

namespace fs = std::filesystem;
using kernel_templates::KernelInstance;
using model::Measurement;
using profiling::verification::BoundKind;
using profiling::verification::PlausibilityBound;

// What the runner would have stored with the rows. Every shipped kernel writes all of its `out` arguments.
double bytes_to_write(const KernelInstance& instance, const Measurement& row) {
  const auto arguments = instance.arguments(row.configuration);
  if (!arguments || instance.definition().host) return 0.0;
  double bytes = 0.0;
  for (const kernel_templates::ResolvedArgument& argument : *arguments) {
    if (argument.memory != kernel_templates::Memory::kDevice) return 0.0;
    if (argument.kind == kernel_templates::ArgumentKind::kOut) bytes += static_cast<double>(argument.bytes());
  }
  return bytes;
}

struct Minimum {
  double ratio = 0.0;
  std::string where;
};

/// The minimum ratio of each bound over rows.
class MinRatios {
 public:
  void add(const PlausibilityBound& bound, const std::string& where) {
    const auto [place, fresh] = minimum_.emplace(bound.kind, Minimum{bound.ratio(), where});
    if (!fresh && bound.ratio() < place->second.ratio) place->second = {bound.ratio(), where};
  }
  std::optional<double> of(BoundKind kind) const {
    const auto found = minimum_.find(kind);
    return found == minimum_.end() ? std::nullopt : std::optional(found->second.ratio);
  }
  void print(const std::string& title) const {
    fmt::print("{}\n", title);
    for (const auto& [kind, minimum] : minimum_)
      fmt::print("  {:44} {:10.4g}  {}\n", profiling::verification::to_string(kind), minimum.ratio,
                 minimum.where);
  }

 private:
  std::map<BoundKind, Minimum> minimum_;
};

/// A recording with what its rows are checked against.
struct Judged {
  Judged(const fs::path& file, const kernel_templates::KernelDefinition& definition)
      : recording(db::read_recording(file)),
        instance(definition, recording.workload.problem, recording.workload.gpu),
        check(
            recording.workload.gpu, recording.workload.cache, recording.roofs,
            profiling::verification::declared_work(definition, recording.workload.problem, recording.work)) {
    for (Measurement& row : recording.measurements) {
      const double bytes = search::analysis::has_time(row) ? bytes_to_write(instance, row) : 0.0;
      if (bytes > 0.0) row.counters["bytes_to_write"] = bytes;
    }
  }

  const Measurement* winner() const {
    const Measurement* best = nullptr;
    for (const Measurement& row : recording.measurements) {
      const bool measured = row.status == model::Status::kMeasured;
      if (measured && (best == nullptr || row.time->median_ns < best->time->median_ns)) best = &row;
    }
    return best;
  }
  const Measurement* default_row() const {
    const std::string key = model::key_of(instance.default_configuration());
    for (const Measurement& row : recording.measurements) {
      if (model::key_of(row.configuration) == key) return &row;
    }
    return nullptr;
  }

  model::Recording recording;
  KernelInstance instance;
  profiling::verification::PlausibilityCheck check;
};

std::string place_of(const Judged& judged, const Measurement& row) {
  return judged.recording.workload.kernel + " " + model::to_text(row.configuration);
}

// Reading the recordings takes the longest, so they are read once for both tests.
TEST(RecordedPlausibilityTest, NoValidRowOfAShippedKernelIsImplausibleOrDoubted) {
  MinRatios minimum;
  MinRatios min_of_best;
  std::size_t judged_rows = 0;
  std::size_t best_rows = 0;
  for (const std::string& kernel : kernel_templates::library_kernels()) {
    for (const fs::path& file : shipped_recordings(kernel)) {
      const Judged judged(file, kernel_templates::load_kernel(kernel));
      for (const Measurement* row : {judged.winner(), judged.default_row()}) {
        ASSERT_NE(row, nullptr) << kernel;
        ++best_rows;
        const auto verdict = judged.check.verdict(*row);
        EXPECT_FALSE(verdict) << place_of(judged, *row) << ": " << verdict->reason;
        const auto doubt = judged.check.doubt(*row);
        EXPECT_FALSE(doubt) << doubt->message();
        for (const PlausibilityBound& bound : judged.check.bounds(*row))
          min_of_best.add(bound, place_of(judged, *row));
      }
      for (const Measurement& row : judged.recording.measurements) {
        const std::vector<PlausibilityBound> bounds = judged.check.bounds(row);
        if (!bounds.empty()) ++judged_rows;
        for (const PlausibilityBound& bound : bounds) {
          EXPECT_TRUE(bound.holds()) << place_of(judged, row) << ": "
                                     << profiling::verification::to_string(bound.kind) << " "
                                     << bound.ratio();
          minimum.add(bound, place_of(judged, row));
        }
      }
    }
  }
  min_of_best.print(fmt::format("{} winners and defaults: found over least, at least", best_rows));
  minimum.print(fmt::format("{} measured and dropped rows of shipped kernels", judged_rows));
  EXPECT_EQ(best_rows, 48U);
  for (const BoundKind kind : profiling::verification::all_bound_kinds()) EXPECT_TRUE(min_of_best.of(kind));
  EXPECT_GT(judged_rows, 20000U);
}

// Kernels of the lab may declare more than some of their variants do, which is reported as a doubt about
// `[work]`.
TEST(RecordedPlausibilityTest, NoValidRowOfTheLabIsImplausible) {
  std::map<std::string, kernel_templates::KernelDefinition> definitions;
  const auto keep = [&](kernel_templates::KernelDefinition definition) {
    std::string hash = definition.hash;
    definitions.emplace(std::move(hash), std::move(definition));
  };
  for (const std::string& kernel : kernel_templates::library_kernels())
    keep(kernel_templates::load_kernel(kernel));
  const fs::path sources = kernel_templates::tested_sources();
  for (const auto& entry : fs::directory_iterator(sources / "kernel_templates/lab")) {
    try {
      keep(kernel_templates::load_kernel_definition(entry.path(), {{sources / "kernel_templates"}}));
    } catch (const base::InputError&) {  // It is an experiment and not a kernel.
    }
  }
  MinRatios minimum;
  std::size_t judged_rows = 0;
  std::map<std::string, std::string> doubts;  // The first of each kernel.
  for (const auto& entry : fs::directory_iterator(sources / "recordings/lab")) {
    const std::string hash = with_present_names(db::read_recording(entry.path())).workload.kernel_hash;
    const auto definition = definitions.find(hash);
    ASSERT_NE(definition, definitions.end()) << entry.path();
    const Judged judged(entry.path(), definition->second);
    for (const Measurement& row : judged.recording.measurements) {
      const std::vector<PlausibilityBound> bounds = judged.check.bounds(row);
      if (!bounds.empty()) ++judged_rows;
      const auto verdict = judged.check.verdict(row);
      EXPECT_FALSE(verdict) << place_of(judged, row) << ": " << verdict->reason;
      const auto doubt = judged.check.doubt(row);
      if (doubt) doubts.emplace(judged.recording.workload.kernel, doubt->message());
      for (const PlausibilityBound& bound : bounds) minimum.add(bound, place_of(judged, row));
    }
  }
  minimum.print(fmt::format("{} rows of the lab", judged_rows));
  for (const auto& [kernel, doubt] : doubts) fmt::print("  told of {}: {}\n", kernel, doubt);
  EXPECT_GT(judged_rows, 350U);
}

}  // namespace
}  // namespace warptune::tuner::knowledge
