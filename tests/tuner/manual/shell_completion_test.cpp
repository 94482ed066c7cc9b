#include "tuner/manual/shell_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "tests/tuner/manual/manual_data.h"

namespace warptune::tuner::manual {
namespace {

using ::testing::HasSubstr;

TEST(ShellCompletionTest, AShellIsFoundByItsNameOrRefusedWithTheNames) {
  EXPECT_EQ(shell_named("zsh").file, "zsh/site-functions/_warptune");
  try {
    shell_named("fsh");
    FAIL() << "it was found";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean fish"));
  }
}

TEST(ShellCompletionTest, BashIsToldWordsFilesAndListsOfEachValue) {
  const std::string script = bash_completion(coffee_program());
  EXPECT_THAT(script, HasSubstr("_warptune_first='brew -V --version'\n"));
  EXPECT_THAT(script, HasSubstr("    brew) options='--size -m --milk --spice --into --hot' "
                                "words='arabica robusta' paths=files ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'brew --size') : ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'brew --milk' | 'brew -m') words='none oat' ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'brew --spice') words='anise clove' list=yes ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'brew --into') words='none' paths=folders ;;\n"));
}

TEST(ShellCompletionTest, ZshReadsBracketsAndColonsOfAHelpTextAsText) {
  const std::string script = zsh_completion(coffee_program());
  EXPECT_THAT(script, HasSubstr("'--hot[without waiting]'"));
  EXPECT_THAT(script, HasSubstr("'(-m --milk)-m+[the milk'\\''s kind]:none|oat:(none oat)'"));
  EXPECT_THAT(script, HasSubstr("'*--spice=[what is added]:NAME\\[,NAME\\]:_warptune_brew_spice'"));
  EXPECT_THAT(script, HasSubstr("  _sequence compadd - anise clove\n"));
}

TEST(ShellCompletionTest, FishGetsALineForEachOption) {
  const std::string script = fish_completion(coffee_program());
  EXPECT_THAT(script,
              HasSubstr("-n '__warptune_runs brew' -s m -l milk -x -a 'none oat' -d 'the milk\\'s kind'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__warptune_runs brew' -l hot -d 'without waiting'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__warptune_runs brew' -F -a 'arabica robusta'\n"));
}

}  // namespace
}  // namespace warptune::tuner::manual
