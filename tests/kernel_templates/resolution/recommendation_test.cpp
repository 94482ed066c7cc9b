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

TEST(Recommendation, ThatTheSpaceDoesNotContainIsPassedOverAndReported) {
  const std::string toml =
      scale_with(recommended("N < 100", "BLOCK = 128\nFACTOR = 3") + recommended("true", "BLOCK = 32"));
  EXPECT_EQ(recommended_for(toml, 99), configuration(32, 2));
  const KernelInstance instance(load_embedded(toml), {{"N", std::int64_t{99}}}, model::fictional_gpu());
  EXPECT_EQ(matching_recommendation(instance.definition(), instance.constants()), 0U);
  const inspection::Findings findings = inspection::recommendation_findings(instance);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().severity, inspection::Severity::kWarning);
  EXPECT_GT(findings.front().position.line, 1U);
  EXPECT_THAT(findings.front().message,
              AllOf(HasSubstr("what is recommended for N=99"), HasSubstr("BLOCK * FACTOR <= 256")));
  const KernelInstance larger(load_embedded(toml), {}, model::fictional_gpu());
  EXPECT_THAT(inspection::recommendation_findings(larger), IsEmpty());
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
