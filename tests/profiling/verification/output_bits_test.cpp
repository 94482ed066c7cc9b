#include "profiling/verification/output_bits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/outputs/reproducibility.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::uint64_t kFirstInputs = 5ULL << 11U;
constexpr std::uint64_t kOtherInputs = 6ULL << 11U;

TEST(OutputBitsTest, EachLaunchIsComparedWithTheFirstOneOnTheSameInputs) {
  OutputBits bits;
  EXPECT_THAT(bits.counters(), IsEmpty());
  EXPECT_TRUE(bits.note(kOtherInputs, 1ULL << 11U, false));
  EXPECT_TRUE(bits.note(kFirstInputs, 2ULL << 11U, true));
  EXPECT_FALSE(bits.note(kOtherInputs, 1ULL << 11U, false));
  EXPECT_FALSE(bits.note(kFirstInputs, 2ULL << 11U, true));
  EXPECT_THAT(bits.counters(), ElementsAre(Pair("compared_launches", 2.0), Pair("differing_launches", 0.0),
                                           Pair("input_digest", 5.0), Pair("output_digest", 2.0)));
}

TEST(OutputBitsTest, OtherBitsAreNewEachTimeAndTheDigestIsThatOfTheFirstLaunch) {
  OutputBits bits;
  bits.note(kFirstInputs, 1ULL << 11U, true);
  EXPECT_TRUE(bits.note(kFirstInputs, 2ULL << 11U, true));
  EXPECT_TRUE(bits.note(kFirstInputs, 2ULL << 11U, true));
  EXPECT_FALSE(bits.note(kFirstInputs, 1ULL << 11U, true));
  EXPECT_THAT(bits.counters(), ElementsAre(Pair("compared_launches", 3.0), Pair("differing_launches", 2.0),
                                           Pair("input_digest", 5.0), Pair("output_digest", 1.0)));
}

TEST(OutputBitsTest, OnlyTheFirstLaunchesWithOtherBitsOnEachInputsAreWorthMeasuring) {
  OutputBits bits;
  bits.note(kFirstInputs, 1, true);
  bits.note(kOtherInputs, 1, false);
  for (std::uint64_t i = 0; i < OutputBits::kMaxMeasured; ++i)
    EXPECT_TRUE(bits.note(kFirstInputs, 2 + i, true)) << i;
  EXPECT_FALSE(bits.note(kFirstInputs, 100, true));
  EXPECT_TRUE(bits.note(kOtherInputs, 100, false));
  EXPECT_EQ(bits.counters().at("differing_launches"), static_cast<double>(OutputBits::kMaxMeasured + 2));
}

TEST(OutputBitsTest, ChecksumsThatDifferOnlyInTheBitsThatADoubleLacksAreStillCompared) {
  OutputBits bits;
  bits.note(kFirstInputs, 1, true);
  EXPECT_TRUE(bits.note(kFirstInputs, 2, true));
}

TEST(OutputBitsTest, WithoutALaunchOnTheFirstInputsThereAreNoDigests) {
  OutputBits bits;
  bits.note(kOtherInputs, 1, false);
  EXPECT_THAT(bits.counters(), ElementsAre(Pair("compared_launches", 0.0), Pair("differing_launches", 0.0)));
}

TEST(OutputBitsTest, ADigestIsAnIntegerThatADoubleHolds) {
  OutputBits bits;
  bits.note(std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max(), true);
  EXPECT_EQ(bits.counters().at("output_digest"), 9007199254740991.0);
}

// The final rounds of the four configurations of one runner, as rows: 1 and 2 add in a fixed order with 64
// and 256 threads, 3 and 4 by atomics.
class GpuOutputBitsTest : public GpuTest {
 protected:
  static std::vector<model::Measurement> final_rounds(RunnerUnderTest& runner) {
    return final_rounds(runner.runner(), runner.instance());
  }

  static kernel_templates::CompiledKernel compiled_of(
      const model::Outcome<kernel_templates::CompileRequest>& request) {
    if (!request) throw base::InternalError(request.error().reason);
    auto compiled = kernel_templates::compile(*request);
    if (!compiled) throw base::InternalError(compiled.error().reason);
    return *std::move(compiled);
  }

  static std::vector<model::Measurement> final_rounds(KernelRunner& runner,
                                                      const kernel_templates::KernelInstance& instance) {
    std::vector<kernel_templates::CompiledKernel> compiled;
    std::vector<KernelRunner::Finalist> finalists;
    for (const std::int64_t blocks : {1, 1024}) {
      for (const std::int64_t block : {64, 256}) {
        const auto configuration = with(instance, {{"BLOCK", block}, {"BLOCKS", blocks}});
        compiled.push_back(compiled_of(instance.compile_request(configuration)));
        finalists.push_back({configuration, nullptr});
      }
    }
    for (std::size_t i = 0; i < finalists.size(); ++i) finalists[i].compiled = &compiled[i];
    std::vector<model::Measurement> rows;
    for (const timing::FinalistTiming& timing : runner.time_interleaved(finalists, 15)) {
      EXPECT_FALSE(timing.fault) << timing.fault->reason;
      model::Measurement& row = rows.emplace_back();
      row.status = model::Status::kMeasured;
      row.counters = timing.bits;
      row.counters.insert(timing.errors.begin(), timing.errors.end());
    }
    return rows;
  }

  static bool meets(const char* demand, const model::Measurement& row, const model::Measurement& usual) {
    return model::outputs::judge(model::outputs::Reproducibility::parse(demand), row, &usual).is_met();
  }
};

TEST_F(GpuOutputBitsTest, ASumInAFixedOrderHasTheSameBitsInEachLaunchAndOneByAtomicsHasNot) {
  RunnerUnderTest runner("sums", {}, without_counters());
  const std::vector<model::Measurement> rows = final_rounds(runner);
  ASSERT_EQ(rows.size(), 4U);
  double error = 0.0;  // A fixed order can happen to give the rounded sum.
  for (const model::Measurement& row : rows) {
    EXPECT_GE(row.counters.at("compared_launches"), 14.0);
    error = std::max(error, row.counters.at("error_max_ulp"));
  }
  EXPECT_GT(error, 0.0);
  EXPECT_TRUE(meets("runs", rows[0], rows[0]));
  EXPECT_TRUE(meets("runs", rows[1], rows[0]));
  EXPECT_FALSE(meets("runs", rows[2], rows[0]));
  EXPECT_FALSE(meets("runs", rows[3], rows[0]));
}

TEST_F(GpuOutputBitsTest, AnotherOrderHasOtherBitsThanTheDefault) {
  RunnerUnderTest runner("sums", {}, without_counters());
  const std::vector<model::Measurement> rows = final_rounds(runner);
  EXPECT_TRUE(meets("bits", rows[0], rows[0]));
  EXPECT_FALSE(meets("bits", rows[1], rows[0]));
  EXPECT_EQ(rows[0].counters.at("input_digest"), rows[1].counters.at("input_digest"));
}

TEST_F(GpuOutputBitsTest, DigestsAreTheSameInAnotherRunnerAndAfterAConfirmation) {
  RunnerUnderTest runner("sums", {}, without_counters());
  const std::vector<model::Measurement> rows = final_rounds(runner);
  EXPECT_TRUE(runner.confirm({}).has_passed());
  const std::vector<model::Measurement> later = final_rounds(runner);
  RunnerUnderTest other("sums", {}, without_counters());
  const std::vector<model::Measurement> others = final_rounds(other);
  for (const char* digest : {"input_digest", "output_digest"}) {
    EXPECT_EQ(later[0].counters.at(digest), rows[0].counters.at(digest));
    EXPECT_EQ(others[0].counters.at(digest), rows[0].counters.at(digest));
  }
}

TEST_F(GpuOutputBitsTest, TheOnlySetOfInputsComesBackAfterAConfirmation) {
  const kernel_templates::KernelInstance instance(load_test_kernel("sums"), {}, enumerate_gpus().gpus.at(0));
  KernelRunner runner(instance, without_counters());
  runner.prepare_reference(compiled_of(instance.reference_request()));
  const double before = final_rounds(runner, instance)[0].counters.at("input_digest");
  const model::NamedValues& usual = instance.default_configuration();
  const kernel_templates::CompiledKernel compiled = compiled_of(instance.compile_request(usual));
  EXPECT_TRUE(runner.confirm({usual, &compiled}).has_passed());
  EXPECT_EQ(final_rounds(runner, instance)[0].counters.at("input_digest"), before);
}

TEST_F(GpuOutputBitsTest, OtherInputsHaveAnotherDigestAndAreNotCompared) {
  RunnerUnderTest runner("sums", {}, without_counters());
  RunnerOptions options = without_counters();
  options.seed = 2;
  RunnerUnderTest other("sums", {}, options);
  const model::Measurement row = final_rounds(runner)[0];
  const model::Measurement usual = final_rounds(other)[0];
  EXPECT_NE(row.counters.at("input_digest"), usual.counters.at("input_digest"));
  EXPECT_EQ(model::outputs::judge(model::outputs::Reproducibility(), row, &usual).kind,
            model::outputs::ReproducibilityVerdict::Kind::kUnknown);
}

}  // namespace
}  // namespace warptune::profiling::verification
