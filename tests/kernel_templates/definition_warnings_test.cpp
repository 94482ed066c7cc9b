#include "kernel_templates/definition_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

const std::string kChecked = kScaleToml + "[check]\nreference = \"expression\"\nexpression = \"2 * x[i]\"\n";

std::vector<DefinitionWarning> warnings_with(const std::string& constraint) {
  return warnings_of(load_embedded(with(kChecked, "BLOCK * FACTOR <= 256", constraint)));
}

TEST(DefinitionWarnings, AreNoneForADefinitionThatIsChecked) {
  EXPECT_TRUE(warnings_of(load_embedded(kChecked)).empty());
  EXPECT_TRUE(is_checked(load_embedded(kChecked)));
}

TEST(DefinitionWarnings, SayThatThereIsNoCheckAtTheKernel) {
  const std::vector<DefinitionWarning> warnings = warnings_of(load_embedded(kScaleToml));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message, HasSubstr("'scale' has no [check]"));
  EXPECT_EQ(warnings[0].position.line, 2);
  EXPECT_FALSE(is_checked(load_embedded(kScaleToml)));
}

TEST(DefinitionWarnings, SayThatACheckHasNoOutputToCompare) {
  const std::string toml =
      with(kScaleToml, "kind = \"out\"", "kind = \"in\"") + "[check]\nreference = \"configuration\"\n";
  const std::vector<DefinitionWarning> warnings = warnings_of(load_embedded(toml));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message, HasSubstr("[check] compares nothing"));
  EXPECT_FALSE(is_checked(load_embedded(toml)));
}

TEST(DefinitionWarnings, SayThatAnOperandIsANumberAtItsPlace) {
  const std::vector<DefinitionWarning> warnings = warnings_with("FACTOR == 2 && (BLOCK * FACTOR)");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message,
              HasSubstr("'BLOCK * FACTOR' in 'FACTOR == 2 && (BLOCK * FACTOR)' is a number"));
  const std::vector<DefinitionWarning> whole = warnings_with("BLOCK * 4");
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(warnings[0].position.line, whole[0].position.line);
  EXPECT_EQ(warnings[0].position.column, whole[0].position.column + 16);
  for (const char* constraint : {"BLOCK > 1 || N % BLOCK", "BLOCK || FACTOR == 2", "BLOCK ? true : false",
                                 "(FACTOR == 2 && BLOCK) == true", "FACTOR == 2 || (BLOCK > 1 ? N : false)"})
    EXPECT_EQ(warnings_with(constraint).size(), 1U) << constraint;
  for (const char* constraint : {"FACTOR == 2 && !(N % BLOCK)", "FACTOR == 2 && BLOCK > 1",
                                 "FACTOR == 2 || true", "(FACTOR == 2 && BLOCK > 1) * 3 > 2"})
    EXPECT_TRUE(warnings_with(constraint).empty()) << constraint;
}

TEST(DefinitionWarnings, SayThatAConstraintIsANumberAtItsPlace) {
  for (const char* constraint : {"BLOCK * FACTOR", "N % BLOCK", "BLOCK", "min(BLOCK, FACTOR)", "sqrt(BLOCK)",
                                 "FACTOR == 2 ? BLOCK : 2 * BLOCK", "1"}) {
    const std::vector<DefinitionWarning> warnings = warnings_with(constraint);
    ASSERT_EQ(warnings.size(), 1U) << constraint;
    EXPECT_THAT(warnings[0].message,
                HasSubstr(std::string("the constraint '") + constraint + "' is a number"));
    EXPECT_EQ(warnings[0].position.line, 14);
    EXPECT_EQ(warnings[0].position.column, 10);
  }
}

TEST(DefinitionWarnings, AreNoneForConditions) {
  for (const char* constraint :
       {"BLOCK * FACTOR <= 256", "!(N % BLOCK)", "BLOCK % 2 == 0 && FACTOR > 1", "is_pow2(BLOCK)", "true",
        "dtype == 'f32'", "FACTOR == 2 ? BLOCK > 32 : true"}) {
    EXPECT_TRUE(warnings_with(constraint).empty()) << constraint;
  }
}

TEST(DefinitionWarnings, AreNoneForAParameterThatIsZeroOrOne) {
  const std::string toml = with(kChecked, "FACTOR = [2, 3]", "FACTOR = [2, 3]\nFAST = [0, 1]");
  const std::string given = with(toml, "FACTOR = 2\n", "FACTOR = 2\nFAST = 1\n");
  EXPECT_TRUE(warnings_of(load_embedded(with(given, "BLOCK * FACTOR <= 256", "FAST"))).empty());
}

}  // namespace
}  // namespace warptune::kernel_templates
