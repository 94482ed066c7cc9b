#include "tuner/exporting/compiler_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::exporting {
namespace {

using ::testing::ElementsAre;

// The toy kernel with an element type and with options and macros of its own.
kernel_templates::KernelDefinition definition(const testing::TemporaryFolder& folder, bool specific) {
  std::string text = base::read_file(testing::write_toy_kernel(folder));
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  };
  replace("entry = \"toy\"\n",
          "entry = \"toy\"\nflags = [\"--use_fast_math\", \"--maxrregcount={A}\"]\n"
          "defines = { DOUBLED = \"2 * A\", IS_SET = \"B\" }\n" +
              std::string(specific ? "architecture_specific = true\n" : ""));
  replace("N = 1024\n", "N = 1024\ndtype = \"f16\"\n");
  std::ofstream(folder / "toy.cu") << text;
  return kernel_templates::load_kernel_definition(folder / "toy.cu");
}

std::vector<std::string> arguments(bool specific, std::int64_t a) {
  const testing::TemporaryFolder folder;
  return compiler_arguments(definition(folder, specific), {}, model::fictional_gpu(),
                            {{"A", a}, {"B", true}});
}

TEST(CompilerArgumentsTest, AreWhatTheHeaderOfTheWinnerDoesNotSay) {
  EXPECT_THAT(arguments(false, 3), ElementsAre("-std=c++17", "-DWARPTUNE=1", "-Ddtype=__half", "-DDOUBLED=6",
                                               "-DIS_SET=1", "--use_fast_math", "--maxrregcount=3"));
}

TEST(CompilerArgumentsTest, NameTheArchitectureOnlyWhereTheCodeIsForItAlone) {
  EXPECT_THAT(arguments(true, 3), ::testing::Contains("-gencode=arch=compute_90a,code=sm_90a"));
  EXPECT_THAT(arguments(false, 3), ::testing::Not(::testing::Contains(::testing::HasSubstr("gencode"))));
}

TEST(CompilerArgumentsTest, OfAConfigurationThatLacksAParameterAreRefused) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(compiler_arguments(definition(folder, false), {}, model::fictional_gpu(), {{"B", true}}),
               base::InputError);
}

}  // namespace
}  // namespace warptune::tuner::exporting
