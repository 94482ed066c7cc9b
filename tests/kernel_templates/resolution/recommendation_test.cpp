// Configurations that a definition recommends for some sizes and GPUs.
#include "kernel_templates/resolution/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernel_templates/inspection/definition_findings.h"
#include "kernel_templates/kernel_instance.h"
#include "tests/kernel_templates/definitions.h"

namespace warptune::kernel_templates::resolution {
namespace {

using model::NamedValues;
using ::testing::AllOf;
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
  EXPECT_THAT(failure_of(with(scale_with(recommended("true", "BLOCK = 32")),
                              "[default]\nBLOCK = 64\nFACTOR = 2\n", "")),
              HasSubstr("a [default], of which the recommended values replace some"));
}

}  // namespace
}  // namespace warptune::kernel_templates::resolution
