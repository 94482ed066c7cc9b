#include "kernel_templates/given_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "definitions.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

// Two inputs, one of them constant, and two outputs of two elements each.
const char* const kDefinition = R"(/* warptune
[kernel]
name = "pair"
entry = "pair"
[problem]
N = 2
[parameters]
BLOCK = [32, 64]
[default]
BLOCK = 32
[launch]
grid = ["1"]
block = ["BLOCK"]
[[argument]]
name = "a"
kind = "in"
type = "i32"
count = "N"
[[argument]]
name = "b"
kind = "inout"
type = "i32"
count = "N"
init = { kind = "constant", value = 5 }
[[argument]]
name = "c"
kind = "out"
type = "i32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"
[check]
reference = "expression"
expression = { b = "b[i]", c = "a[i]" }
cases = [{ seed = 7 }]
*/
extern "C" __global__ void pair(const int* a, int* b, int* c, int n) {}
)";

class GivenContentsTest : public ::testing::Test {
 protected:
  GivenContents given(const std::string& argument, ContentsRole role, const std::string& bytes = "12345678") {
    return {argument, role, "i32", folder_.write(argument + std::to_string(files_++), bytes)};
  }
  KernelDefinition with(const std::vector<GivenContents>& contents) const {
    KernelDefinition definition = definition_;
    use_given_contents(definition, contents);
    return definition;
  }
  std::string failure(const std::vector<GivenContents>& contents) const {
    try {
      require_contents_fit({with(contents), {}, model::fictional_gpu()});
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }

  TemporaryFolder folder_;
  int files_ = 0;
  KernelDefinition definition_ = load_kernel_definition(folder_.write("pair.cu", kDefinition));
};

TEST_F(GivenContentsTest, FirstContentsReplaceThoseOfTheDefinitionAndTheHashStays) {
  const KernelDefinition definition = with({given("a", ContentsRole::kFirst)});
  EXPECT_EQ(definition.hash, definition_.hash);
  EXPECT_EQ(definition.check.reference, ReferenceKind::kExpression);
  EXPECT_TRUE(definition.check.cases.empty());
  const KernelInstance instance(definition, {}, model::fictional_gpu());
  const std::vector<std::byte> bytes =
      generate_argument(instance.arguments(definition.default_configuration)->at(0), 0, 1);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "12345678");
}

TEST_F(GivenContentsTest, NothingGivenChangesNothing) { EXPECT_EQ(with({}).check.cases.size(), 1U); }

TEST_F(GivenContentsTest, ExpectedValuesAndResultsReplaceTheReference) {
  const GivenContents a = given("a", ContentsRole::kFirst);
  const std::vector<GivenContents> expected = {a, given("b", ContentsRole::kExpected),
                                               given("c", ContentsRole::kExpected)};
  EXPECT_EQ(with(expected).check.reference, ReferenceKind::kGiven);
  const KernelInstance instance(with(expected), {}, model::fictional_gpu());
  EXPECT_TRUE(instance.has_reference());
  EXPECT_FALSE(instance.compiles_reference());
  EXPECT_EQ(failure(expected), "no error");
  const std::vector<GivenContents> results = {a, given("b", ContentsRole::kResult),
                                              given("c", ContentsRole::kResult)};
  EXPECT_EQ(with(results).check.reference, ReferenceKind::kJudged);
  EXPECT_EQ(failure(results), "no error");
}

TEST_F(GivenContentsTest, WhatDoesNotFitIsRefused) {
  const auto a = [this] { return given("a", ContentsRole::kFirst); };
  EXPECT_THAT(failure({given("d", ContentsRole::kFirst)}), HasSubstr("pair has no argument 'd'"));
  EXPECT_THAT(failure({given("n", ContentsRole::kFirst)}), HasSubstr("'n' cannot have first contents"));
  EXPECT_THAT(failure({given("c", ContentsRole::kFirst)}),
              HasSubstr("'c' cannot have first contents: expected an argument of kind in or inout"));
  EXPECT_THAT(failure({given("a", ContentsRole::kExpected)}),
              HasSubstr("'a' cannot have expected values: expected an argument of kind out or inout"));
  EXPECT_THAT(failure({a(), a()}), HasSubstr("argument 'a' is given twice"));
  EXPECT_THAT(failure({a(), given("c", ContentsRole::kExpected)}),
              HasSubstr("expected values are missing for b"));
  EXPECT_THAT(failure({given("a", ContentsRole::kFirst, "1234")}),
              HasSubstr("argument 'a' has 8 bytes (2 x i32) for N=2, found 4"));
  GivenContents other = a();
  other.type = "f32";
  EXPECT_THAT(failure({other}), HasSubstr("argument 'a' has elements of type i32, found f32"));
  EXPECT_THAT(failure({given("b", ContentsRole::kExpected), given("c", ContentsRole::kExpected)}),
              HasSubstr("the contents of argument 'a' are random"));
  EXPECT_THAT(failure({a(), given("b", ContentsRole::kExpected), given("c", ContentsRole::kExpected),
                       given("b", ContentsRole::kResult), given("c", ContentsRole::kResult)}),
              HasSubstr("exclude each other"));
}

TEST_F(GivenContentsTest, AResultIsWrittenIntoAFileThatKeepsItsPlace) {
  const GivenContents one = given("c", ContentsRole::kResult);
  write_result(one.file, {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'});
  EXPECT_EQ(base::read_file(one.file), "abcdefgh");
  EXPECT_THROW(write_result(folder_.path() / "missing", {'a'}), base::MachineError);
}

TEST_F(GivenContentsTest, RolesHaveNames) {
  for (const ContentsRole role : {ContentsRole::kFirst, ContentsRole::kExpected, ContentsRole::kResult})
    EXPECT_EQ(parse_contents_role(to_string(role)), role);
  EXPECT_FALSE(parse_contents_role("last"));
}

}  // namespace
}  // namespace warptune::kernel_templates
