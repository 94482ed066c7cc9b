// Configurations that a definition recommends for some sizes and GPUs.
#include "kernel_templates/resolution/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/inspection/definition_findings.h"
#include "kernel_templates/kernel_instance.h"
#include "tests/kernel_templates/definitions.h"

namespace warptune::kernel_templates::resolution {
namespace {

using model::NamedValues;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A recommendation with the lines that the test needs.
std::string recommended(const std::string& when, const std::string& values) {
  return "[[recommended]]\nwhen = '" + when + "'\n[recommended.values]\n" + values + "\n";
}

std::string scale_with(const std::string& sections) {
  return with(kScaleToml, "[launch]", sections + "[launch]");
}

NamedValues configuration(std::int64_t block, std::int64_t factor) {
  return {{"BLOCK", block}, {"FACTOR", factor}};
}

NamedValues recommended_for(const std::string& toml, std::int64_t n) {
  return KernelInstance(load_embedded(toml), {{"N", n}}, model::fictional_gpu()).recommended_configuration();
}

std::string failure_of(const std::string& toml) {
  try {
    load_embedded(toml);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

// A recommendation with a cost; without a condition if `when` is empty.
std::string priced(const std::string& cost, const std::string& values, const std::string& when = "") {
  return "[[recommended]]\n" + (when.empty() ? "" : "when = '" + when + "'\n") + "cost = '" + cost +
         "'\n[recommended.values]\n" + values + "\n";
}

// The places of the recommendations that may be used, in the order of preference.
std::vector<std::size_t> valid_at(const std::string& toml, std::int64_t n) {
  const KernelInstance instance(load_embedded(toml), {{"N", n}}, model::fictional_gpu());
  return valid_recommendations(instance.definition(), instance.constants(), instance.space());
}

TEST(Recommendation, ProblemsAreOfTheSameKindIfTheSameConditionsHold) {
  const std::string toml = scale_with(recommended("N % 4 == 0", "BLOCK = 32") +
                                      recommended("N % 4 != 0 && device_sm_count > 1", "FACTOR = 3"));
  const KernelInstance instance(load_embedded(toml), {{"N", 100}}, model::fictional_gpu());
  const auto is_alike = [&](std::int64_t n, const model::GpuDescription& gpu) {
    return instance.is_of_same_kind({{"N", n}}, gpu);
  };
  EXPECT_TRUE(is_alike(5000, model::fictional_gpu()));
  EXPECT_FALSE(is_alike(101, model::fictional_gpu()));
  model::GpuDescription small = model::fictional_gpu();
  small.sm_count = 1;
  EXPECT_TRUE(is_alike(5000, small)) << "the second condition does not hold for either";
  EXPECT_FALSE(is_alike(101, small)) << "no condition holds there";
}

TEST(Recommendation, IsTheFirstWhoseConditionHoldsAndCompletesTheDefault) {
  const std::string toml =
      scale_with(recommended("N < 100", "BLOCK = 32") +
                 recommended("N < 1000 && device_sm_count > 1", "BLOCK = 32\nFACTOR = 3"));
  EXPECT_EQ(recommended_for(toml, 99), configuration(32, 2));
  EXPECT_EQ(recommended_for(toml, 100), configuration(32, 3));
  EXPECT_THAT(recommended_for(toml, 1000), IsEmpty());
  EXPECT_THAT(recommended_for(kScaleToml, 1000), IsEmpty());
}

// The findings of `check` about recommendations.
inspection::Findings findings_of(const std::string& toml, std::int64_t n) {
  return inspection::recommendation_findings(
      KernelInstance(load_embedded(toml), {{"N", n}}, model::fictional_gpu()));
}

TEST(Recommendation, ThatTheSpaceDoesNotContainIsPassedOverAndReported) {
  const std::string outside = recommended("N < 100", "BLOCK = 128\nFACTOR = 3");
  EXPECT_THAT(recommended_for(scale_with(outside), 99), IsEmpty());
  const inspection::Findings findings = findings_of(scale_with(outside), 99);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().severity, inspection::Severity::kWarning);
  EXPECT_GT(findings.front().position.line, 1U);
  EXPECT_THAT(findings.front().message,
              AllOf(HasSubstr("what is recommended for N=99"), HasSubstr("BLOCK * FACTOR <= 256")));
  EXPECT_THAT(findings_of(scale_with(outside), 100), IsEmpty());
}

TEST(Recommendation, ThatCannotBeUsedLeavesTheNextOne) {
  const std::string toml =
      scale_with(recommended("N < 100", "BLOCK = 128\nFACTOR = 3") + recommended("true", "BLOCK = 32"));
  EXPECT_EQ(recommended_for(toml, 99), configuration(32, 2));
  EXPECT_THAT(findings_of(toml, 99), IsEmpty());
  // Both sizes get the second one.
  const KernelInstance instance(load_embedded(toml), {{"N", std::int64_t{99}}}, model::fictional_gpu());
  EXPECT_TRUE(instance.is_recommended_alike({{"N", std::int64_t{1000}}, {"dtype", "f32"}}, instance.gpu()));
  // A GPU may lack what the recommendation needs. Nobody could mend that.
  const std::string of_gpu =
      with(scale_with(recommended("true", "BLOCK = 32")), "list = [\"BLOCK * FACTOR <= 256\"]",
           "list = [\"BLOCK > 32 || device_compute_capability > 900\"]");
  EXPECT_THAT(recommended_for(of_gpu, 99), IsEmpty());
  EXPECT_THAT(findings_of(of_gpu, 99), IsEmpty());
}

TEST(Recommendation, MayDifferBetweenSizesForWhichTheSameConditionHolds) {
  const std::string toml =
      with(scale_with(recommended("true", "BLOCK = 128") + recommended("true", "BLOCK = 32")),
           "list = [\"BLOCK * FACTOR <= 256\"]", "list = [\"BLOCK < 128 || N > 500\"]");
  EXPECT_EQ(recommended_for(toml, 1000), configuration(128, 2));
  EXPECT_EQ(recommended_for(toml, 99), configuration(32, 2));
  const KernelInstance instance(load_embedded(toml), {{"N", std::int64_t{99}}}, model::fictional_gpu());
  EXPECT_FALSE(instance.is_recommended_alike({{"N", std::int64_t{1000}}, {"dtype", "f32"}}, instance.gpu()));
}

TEST(Recommendation, DoesNotChangeTheHash) {
  const std::string toml = scale_with(recommended("true", "BLOCK = 32"));
  EXPECT_EQ(load_embedded(toml).hash, load_embedded(kScaleToml).hash);
  EXPECT_EQ(load_embedded(scale_with(priced("N", "BLOCK = 32"))).hash, load_embedded(kScaleToml).hash);
}

TEST(Recommendation, IsTheCheapestOfAGroup) {
  const std::string toml = scale_with(priced("N", "BLOCK = 32") + priced("50 + N / 2.0", "BLOCK = 128") +
                                      priced("device_sm_count * 1000", "FACTOR = 3"));
  EXPECT_EQ(recommended_for(toml, 99), configuration(32, 2));
  EXPECT_EQ(recommended_for(toml, 101), configuration(128, 2));
  EXPECT_EQ(recommended_for(toml, 1000000), configuration(64, 3));
  EXPECT_THAT(valid_at(toml, 101), ElementsAre(1, 0, 2));
}

TEST(Recommendation, ComesEarlierIfCostsAreEqual) {
  const std::string toml = scale_with(priced("N", "BLOCK = 32") + priced("100", "BLOCK = 128"));
  EXPECT_EQ(recommended_for(toml, 100), configuration(32, 2));
  const std::string reversed = scale_with(priced("100", "BLOCK = 128") + priced("N", "BLOCK = 32"));
  EXPECT_EQ(recommended_for(reversed, 100), configuration(128, 2));
}

TEST(Recommendation, ComparesCostsOnlyWithinItsGroup) {
  // The table without a cost separates two groups.
  const std::string toml =
      scale_with(recommended("N < 10", "FACTOR = 3") + priced("5", "BLOCK = 32", "N > 100") +
                 recommended("N < 20", "BLOCK = 128") + priced("4", "BLOCK = 32") +
                 priced("3", "BLOCK = 32\nFACTOR = 3"));
  EXPECT_EQ(recommended_for(toml, 9), configuration(64, 3));
  EXPECT_EQ(recommended_for(toml, 19), configuration(128, 2));
  EXPECT_EQ(recommended_for(toml, 20), configuration(32, 3));
  EXPECT_EQ(recommended_for(toml, 101), configuration(32, 2));
  EXPECT_THAT(valid_at(toml, 101), ElementsAre(1, 4, 3));
}

TEST(Recommendation, ThatIsTheCheapestButCannotBeUsedLeavesTheNextOne) {
  const std::string invalid = priced("1", "BLOCK = 128\nFACTOR = 3");
  EXPECT_EQ(recommended_for(
                scale_with(priced("3", "BLOCK = 32") + invalid + priced("2", "BLOCK = 32\nFACTOR = 3")), 99),
            configuration(32, 3));
  const std::string only = scale_with(invalid + recommended("true", "BLOCK = 32"));
  EXPECT_EQ(recommended_for(only, 99), configuration(32, 2));
  EXPECT_THAT(findings_of(only, 99), IsEmpty());
  const inspection::Findings findings = findings_of(scale_with(invalid), 99);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings.front().message, HasSubstr("BLOCK * FACTOR <= 256"));
}

TEST(Recommendation, WhoseCostCannotBeComputedDoesNotHold) {
  const std::string toml = scale_with(priced("1 / (N - 99)", "BLOCK = 32") + priced("1000", "BLOCK = 128") +
                                      priced("1e300 * N * N * 1e300", "BLOCK = 32\nFACTOR = 3"));
  EXPECT_EQ(recommended_for(toml, 98), configuration(32, 2));
  EXPECT_EQ(recommended_for(toml, 99), configuration(128, 2));
  EXPECT_THAT(valid_at(toml, 99), ElementsAre(1));
  const inspection::Findings findings = findings_of(toml, 99);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings.front().severity, inspection::Severity::kWarning);
  EXPECT_GT(findings.front().position.line, 1U);
  EXPECT_THAT(findings.front().message, HasSubstr("the cost '1 / (N - 99)' cannot be computed for N=99"));
  // Where the condition does not hold, nobody asks for the cost.
  EXPECT_THAT(findings_of(scale_with(priced("1 / (N - 99)", "BLOCK = 32", "N != 99")), 99), IsEmpty());
}

TEST(Recommendation, ChangesBetweenSizesWithItsCost) {
  const std::string toml = scale_with(priced("N", "BLOCK = 32") + priced("500", "BLOCK = 128"));
  const KernelInstance instance(load_embedded(toml), {{"N", std::int64_t{99}}}, model::fictional_gpu());
  EXPECT_TRUE(instance.is_recommended_alike({{"N", std::int64_t{400}}, {"dtype", "f32"}}, instance.gpu()));
  EXPECT_FALSE(instance.is_recommended_alike({{"N", std::int64_t{600}}, {"dtype", "f32"}}, instance.gpu()));
}

TEST(Recommendation, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(failure_of(scale_with(recommended("BLOCK < 100", "BLOCK = 32"))),
              HasSubstr("names the parameter 'BLOCK', but it must be the same for all configurations"));
  EXPECT_THAT(failure_of(scale_with(recommended("M < 100", "BLOCK = 32"))),
              HasSubstr("names 'M', which cannot be used here"));
  EXPECT_THAT(failure_of(scale_with(recommended("dtype", "BLOCK = 32"))),
              HasSubstr("'dtype' is text, expected a condition"));
  EXPECT_THAT(failure_of(scale_with(recommended("true", "BLOCK = 33"))),
              HasSubstr("expected one of 32 64 128"));
  EXPECT_THAT(failure_of(scale_with(recommended("true", "BLOCKS = 32"))), HasSubstr("BLOCKS"));
  EXPECT_THAT(failure_of(scale_with("[[recommended]]\nwhen = 'true'\n")), HasSubstr("values"));
  EXPECT_THAT(failure_of(scale_with("[[recommended]]\n[recommended.values]\nBLOCK = 32\n")),
              HasSubstr("when"));
  EXPECT_THAT(failure_of(scale_with(priced("BLOCK * 2", "BLOCK = 32"))),
              HasSubstr("the cost 'BLOCK * 2' names the parameter 'BLOCK'"));
  EXPECT_THAT(failure_of(scale_with(priced("dtype", "BLOCK = 32"))),
              ContainsRegex(":[0-9]+:[0-9]+: .*the cost 'dtype' is text, expected a number"));
  EXPECT_THAT(failure_of(with(scale_with(recommended("true", "BLOCK = 32")),
                              "[default]\nBLOCK = 64\nFACTOR = 2\n", "")),
              HasSubstr("a [default], of which the recommended values replace some"));
}

}  // namespace
}  // namespace warptune::kernel_templates::resolution
