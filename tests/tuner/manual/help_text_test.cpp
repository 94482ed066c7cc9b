#include "tuner/manual/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tuner/manual/manual_data.h"

namespace warptune::tuner::manual {
namespace {

using ::testing::HasSubstr;

TEST(HelpTextTest, OptionsStandInOneColumnAndTheirHelpInAnother) {
  EXPECT_EQ(help_text(coffee_program().commands.front(), 60),
            "Usage: warptune brew BEAN|FILE... [options]\n"
            "\n"
            "Makes coffee. A \\ and a \"quote\" stay, .5 and 'words' too.\n"
            "\n"
            "Options:\n"
            "  --size N (=2)                cups\n"
            "  -m, --milk none|oat (=none)  the milk's kind; may be left\n"
            "                               out [none: black]\n"
            "  --spice NAME[,NAME]          what is added\n"
            "  --into DIR|none              where to\n"
            "  --hot                        without waiting\n"
            "\n"
            "Examples:\n"
            "  warptune brew arabica --milk oat\n"
            "      Makes two cups.\n");
}

TEST(HelpTextTest, AnOptionThatIsTooLongHasALineOfItsOwn) {
  CommandDescription command = coffee_program().commands.front();
  command.options = {{"a", '\0', std::string(40, 'X'), "long", std::nullopt, false, {}},
                     {"b", '\0', "", "short", std::nullopt, false, {}}};
  EXPECT_THAT(help_text(command, 60),
              HasSubstr("  --a " + std::string(40, 'X') + "\n       long\n  --b  short\n"));
}

TEST(HelpTextTest, ANarrowTerminalGetsWholeWords) {
  EXPECT_THAT(help_text(coffee_program().commands.front(), 1), HasSubstr("what is added\n"));
}

TEST(HelpTextTest, TheOverviewNamesCommandsOptionsAndExitCodes) {
  const std::string text = overview_text(coffee_program(), 60);
  EXPECT_THAT(text, HasSubstr("Commands:\n  brew  make coffee\n"));
  EXPECT_THAT(text, HasSubstr("  -V, --version  print the version\n"));
  EXPECT_THAT(text, HasSubstr("Exit codes: 0 done; 1 the"));
}

}  // namespace
}  // namespace warptune::tuner::manual
