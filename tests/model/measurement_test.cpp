#include "model/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace warptune::model {
namespace {

TEST(Status, EachReadsBackFromItsName) {
  EXPECT_EQ(all_statuses().size(), 9U);
  for (const Status status : all_statuses()) EXPECT_EQ(parse_status(to_string(status)), status);
  EXPECT_EQ(to_string(Status::kWrongResult), "wrong_result");
  EXPECT_EQ(parse_status("fine"), std::nullopt);
}

TEST(RejectionCause, EachReadsBackFromItsName) {
  EXPECT_EQ(all_rejection_causes().size(), 4U);
  for (const RejectionCause cause : all_rejection_causes())
    EXPECT_EQ(parse_rejection_cause(to_string(cause)), cause);
  EXPECT_EQ(to_string(RejectionCause::kNoLinker), "no_linker");
  EXPECT_EQ(parse_rejection_cause("cannot link: "), std::nullopt);
}

TEST(Rejection, IsOfTheEnvironmentByItsCauseAndNotByItsText) {
  const std::string text = "the compiler needs more than 1024 MiB";
  EXPECT_FALSE(is_environment_failure({Status::kCompileFailed, text}));
  EXPECT_TRUE(is_environment_failure({Status::kCompileFailed, text, RejectionCause::kOutOfMemory}));
  EXPECT_TRUE(is_environment_failure({Status::kCompileFailed, "", RejectionCause::kNoLinker}));
  EXPECT_TRUE(is_environment_failure({Status::kCompileFailed, "", RejectionCause::kCompilerFailed}));
}

TEST(Summarise, HasNothingToSayOfNoSamples) {
  EXPECT_EQ(summarise({}), std::nullopt);
  EXPECT_EQ(summarise({std::numeric_limits<double>::quiet_NaN()}), std::nullopt);
}

TEST(Summarise, TakesTheRangeOfFewSamples) {
  const TimeSummary summary = summarise({5.0, 1.0, 3.0, 2.0}).value();
  EXPECT_EQ(summary.median_ns, 2.5);
  EXPECT_EQ(summary.low_ns, 1.0);
  EXPECT_EQ(summary.high_ns, 5.0);
  EXPECT_EQ(summarise({7.0}).value().low_ns, 7.0);
}

// Conover, table of order statistics for the median: n = 9 gives ranks 2 and 8, n = 20 gives 6 and 15, n =
// 100 gives 40 and 61.
TEST(Summarise, TakesTheRanksOfTheTable) {
  for (const auto& [count, low, high] :
       std::vector<std::array<int, 3>>{{6, 1, 6}, {9, 2, 8}, {20, 6, 15}, {100, 40, 61}}) {
    std::vector<double> samples(static_cast<std::size_t>(count));
    std::iota(samples.rbegin(), samples.rend(), 1.0);
    const TimeSummary summary = summarise(samples).value();
    EXPECT_EQ(summary.low_ns, low) << count;
    EXPECT_EQ(summary.high_ns, high) << count;
    EXPECT_EQ(summary.median_ns, (count + 1) / 2.0) << count;
  }
}

TEST(Summarise, CoversTheMedianInAtLeastNinetyFivePercentOfCases) {
  base::Random random(11);
  int covered = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    std::vector<double> samples;
    samples.reserve(25);
    for (int i = 0; i < 25; ++i) samples.push_back(random.unit());
    const TimeSummary summary = summarise(samples).value();
    covered += *summary.low_ns <= 0.5 && 0.5 <= *summary.high_ns ? 1 : 0;
  }
  EXPECT_GE(covered, 3780);
  EXPECT_LE(covered, 3960);
}

TEST(Summarise, WorksWithManySamples) {
  std::vector<double> samples(100000, 1.0);
  samples.back() = 2.0;
  EXPECT_EQ(summarise(samples).value().high_ns, 1.0);
}

TEST(RoofTime, IsTheSlowerOfMemoryAndArithmetic) {
  const Roofs roofs{2e12, 50e12};
  EXPECT_DOUBLE_EQ(roof_time_ns({0.0, 4e9}, roofs).value(), 2e6);
  EXPECT_DOUBLE_EQ(roof_time_ns({500e9, 4e9}, roofs).value(), 1e7);
  EXPECT_DOUBLE_EQ(roof_time_ns({500e9, 4e9}, {2e12}).value(), 2e6);
  EXPECT_EQ(roof_time_ns({500e9, 4e9}, {}), std::nullopt);
}

Roofs all_roofs() {
  Roofs roofs;
  roofs.copy_bytes_per_s = 4e12;
  roofs.read_bytes_per_s = 5e12;
  roofs.fp32_theory_flops_per_s = 60e12;
  roofs.fp32_measured_flops_per_s = 50e12;
  roofs.fp64_flops_per_s = 25e12;
  roofs.tensor_flops_per_s = 500e12;
  return roofs;
}

TEST(RoofTime, TakesTheHigherOfCopyAndReadAsTheMemorysRoof) {
  EXPECT_DOUBLE_EQ(memory_roof(all_roofs()).value(), 5e12);
  EXPECT_DOUBLE_EQ(roof_time_ns({0.0, 5e9}, all_roofs()).value(), 1e6);
  EXPECT_DOUBLE_EQ(memory_roof({4e12}).value(), 4e12);
}

TEST(RoofTime, CountsWritesByWhatTheyTakeOfACopy) {
  const Roofs roofs = all_roofs();  // Copies 4 TB/s, reads 5: a byte written takes 0.3 s/TB.
  EXPECT_DOUBLE_EQ(memory_roof(roofs, 0.0).value(), 5e12);
  EXPECT_DOUBLE_EQ(memory_roof(roofs, 0.5).value(), 4e12);
  EXPECT_NEAR(memory_roof(roofs, 1.0).value(), 1e12 / 0.3, 1.0);
  EXPECT_DOUBLE_EQ(memory_roof({4e12}, 1.0).value(), 4e12);
  EXPECT_DOUBLE_EQ(roof_time_ns({0.0, 4e9, ArithmeticUnit::kFp32, 0.5}, roofs).value(), 1e6);
}

TEST(RoofTime, IsOfTheUnitThatDoesTheArithmetic) {
  EXPECT_DOUBLE_EQ(roof_time_ns({50e9, 0.0, ArithmeticUnit::kFp32}, all_roofs()).value(), 1e6);
  EXPECT_DOUBLE_EQ(roof_time_ns({50e9, 0.0, ArithmeticUnit::kFp64}, all_roofs()).value(), 2e6);
  EXPECT_DOUBLE_EQ(roof_time_ns({50e9, 0.0, ArithmeticUnit::kTensor}, all_roofs()).value(), 1e5);
}

TEST(RoofTime, FallsBackOnTheTheoryForFp32Alone) {
  const Roofs theory{0.0, 60e12};
  EXPECT_DOUBLE_EQ(compute_roof(theory, ArithmeticUnit::kFp32).value(), 60e12);
  EXPECT_EQ(compute_roof(theory, ArithmeticUnit::kFp64), std::nullopt);
  EXPECT_EQ(roof_time_ns({50e9, 0.0, ArithmeticUnit::kTensor}, theory), std::nullopt);
}

TEST(BindingRoof, IsTheRoofThatTakesTheLongerTime) {
  EXPECT_EQ(binding_roof({50e9, 4e9}, all_roofs()), BindingRoof::kCompute);
  EXPECT_EQ(binding_roof({50e9, 6e9}, all_roofs()), BindingRoof::kMemory);
  EXPECT_EQ(binding_roof({50e9, 0.0}, {4e12, 0.0}), BindingRoof::kNone);
  EXPECT_EQ(binding_roof({}, all_roofs()), BindingRoof::kNone);
  EXPECT_EQ(to_string(BindingRoof::kMemory), "memory");
}

TEST(RidgePoint, IsTheIntensityAtWhichBothRoofsTakeTheSameTime) {
  const double ridge = ridge_flops_per_byte(all_roofs(), ArithmeticUnit::kTensor).value();
  EXPECT_DOUBLE_EQ(ridge, 100.0);
  EXPECT_DOUBLE_EQ(roof_time_ns({ridge * 1e9, 0.0, ArithmeticUnit::kTensor}, all_roofs()).value(),
                   roof_time_ns({0.0, 1e9}, all_roofs()).value());
  EXPECT_EQ(ridge_flops_per_byte({std::nullopt, 60e12}, ArithmeticUnit::kFp32), std::nullopt);
}

TEST(ArithmeticUnit, ReadsBackFromItsText) {
  for (const ArithmeticUnit unit : {ArithmeticUnit::kFp32, ArithmeticUnit::kFp64, ArithmeticUnit::kTensor})
    EXPECT_EQ(parse_arithmetic_unit(to_string(unit)), unit);
  EXPECT_EQ(parse_arithmetic_unit("FP32"), std::nullopt);
}

TEST(DisturbedCounters, LoseTheDurationAndTheSharesOfElapsedTimeOnly) {
  Counters counters = {{"gpu__time_duration.sum", 4.1e6},
                       {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 2.6},
                       {"dram__bytes.sum", 5e8},
                       {"sm__warps_active.avg.pct_of_peak_sustained_active", 69.0}};
  EXPECT_TRUE(drop_disturbed_counters(counters, 1.7e5));
  EXPECT_EQ(counters, (Counters{{"dram__bytes.sum", 5e8},
                                {"sm__warps_active.avg.pct_of_peak_sustained_active", 69.0}}));
}

TEST(DisturbedCounters, AreNotThoseOfALaunchWithTheRangesOwnCost) {
  for (const auto& [counted_ns, median_ns] :
       {std::pair{11e3, 5e3}, std::pair{63e3, 32e3}, std::pair{1.2e6, 1.1e6}}) {
    Counters counters = {{"gpu__time_duration.sum", counted_ns}, {"x_elapsed", 50.0}};
    EXPECT_FALSE(drop_disturbed_counters(counters, median_ns));
    EXPECT_EQ(counters.size(), 2U);
  }
}

TEST(DisturbedCounters, NeedADurationToBeKnown) {
  Counters counters = {{"x_elapsed", 50.0}};
  EXPECT_FALSE(drop_disturbed_counters(counters, 1.0));
  EXPECT_FALSE(drop_disturbed_counters(counters, std::nullopt));
  EXPECT_EQ(counters.size(), 1U);
}

TEST(DisturbedCounters, NeedATimeToCompareWith) {
  Counters counters = {{"gpu__time_duration.sum", 1e12}, {"x_elapsed", 50.0}};
  EXPECT_FALSE(drop_disturbed_counters(counters, std::nullopt));
  EXPECT_TRUE(drop_disturbed_counters(counters, 1.0));
}

TEST(TimeOfAMeasurement, IsUnknownInAllPartsIfThereIsNone) {
  Measurement measurement;
  EXPECT_EQ(median_ns_of(measurement), std::nullopt);
  EXPECT_EQ(low_ns_of(measurement), std::nullopt);
  EXPECT_EQ(high_ns_of(measurement), std::nullopt);
  measurement.time = {5.0, 4.0, std::nullopt};
  EXPECT_EQ(median_ns_of(measurement), 5.0);
  EXPECT_EQ(low_ns_of(measurement), 4.0);
  EXPECT_EQ(high_ns_of(measurement), std::nullopt);
}

TEST(CacheState, ReadsBackFromItsText) {
  EXPECT_EQ(parse_cache_state("cold"), CacheState::kCold);
  EXPECT_EQ(parse_cache_state("warm"), CacheState::kWarm);
  EXPECT_EQ(to_string(CacheState::kWarm), "warm");
  EXPECT_EQ(parse_cache_state("hot"), std::nullopt);
  EXPECT_EQ(Workload{}.cache, CacheState::kCold);
}

TEST(Measurement, ADriverIsNamedByItsReleaseOrByTheCudaThatItSupports) {
  Environment environment;
  EXPECT_EQ(driver_text(environment), "unknown");
  environment.driver_version = 12080;
  EXPECT_EQ(driver_text(environment), "12.8");
  environment.driver_release = "570.86.15";
  EXPECT_EQ(driver_text(environment), "570.86.15 (CUDA 12.8)");
}

constexpr const char* kControl = "smsp__sass_thread_inst_executed_op_control_pred_on.sum";
constexpr const char* kMultiplyAdds = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr const char* kInstructions = "smsp__inst_executed.sum";

// The counters of a CUDA graph as the profiler gives them: it does not patch the graph's nodes.
Counters of_graph() {
  return {{"dram__bytes.sum", 1e6},
          {"fp32_operations", 0.0},
          {kInstructions, 1e5},
          {kControl, 0.0},
          {kMultiplyAdds, 0.0}};
}

TEST(PatchedCounters, OfAGraphAreMissing) {
  Counters counters = of_graph();
  EXPECT_TRUE(drop_unpatched_counters(counters));
  EXPECT_EQ(counters, Counters({{"dram__bytes.sum", 1e6}, {kInstructions, 1e5}}));
  EXPECT_FALSE(drop_unpatched_counters(counters));
}

TEST(PatchedCounters, WithoutAnInstructionAreReallyZero) {
  Counters counters = of_graph();
  counters[kInstructions] = 0.0;
  const Counters before = counters;
  EXPECT_FALSE(drop_unpatched_counters(counters));
  EXPECT_EQ(counters, before);
}

TEST(PatchedCounters, OfPatchedCodeStay) {
  Counters counters = of_graph();
  counters[kControl] = 32.0;  // The kernel's end.
  EXPECT_FALSE(drop_unpatched_counters(counters));
  EXPECT_EQ(counters.at(kMultiplyAdds), 0.0);
}

TEST(PatchedCounters, StayWhereNothingShowsThatTheCodeWasNotPatched) {
  Counters counters = of_graph();
  counters.erase(kControl);  // A kernel without multiply-adds has these counters, too.
  EXPECT_FALSE(drop_unpatched_counters(counters));
  EXPECT_EQ(counters.at(kMultiplyAdds), 0.0);
}

TEST(PatchedCounters, AreTheProfilersAndThoseComputedFromThem) {
  EXPECT_TRUE(needs_patched_code(kControl));
  EXPECT_TRUE(needs_patched_code("fp16_operations"));
  EXPECT_FALSE(needs_patched_code(kInstructions));
  EXPECT_FALSE(needs_patched_code("compute_throughput_pct"));
}

}  // namespace
}  // namespace warptune::model
