#include "tuner/manual/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "tests/tuner/manual/manual_data.h"

namespace warptune::tuner::manual {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string brew_page() {
  const ProgramDescription program = coffee_program();
  return command_man_page(program, program.commands.front());
}

std::vector<std::string> sections(const std::string& page) {
  std::vector<std::string> titles;
  for (const std::string& line : base::split(page, '\n')) {
    if (line.starts_with(".SH ")) titles.push_back(line.substr(4));
  }
  return titles;
}

TEST(ManPageTest, APageHasTheUsualSectionsInTheUsualOrder) {
  EXPECT_THAT(sections(brew_page()), ElementsAre("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
                                                 "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"));
  EXPECT_THAT(sections(program_man_page(coffee_program())),
              ElementsAre("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS", "FILES",
                          "ENVIRONMENT", "EXAMPLES", "SEE ALSO"));
}

TEST(ManPageTest, AnOptionHasItsShortFormItsValueItsHelpAndItsDefault) {
  EXPECT_THAT(brew_page(), HasSubstr(".TP\n\\fB\\-m\\fR, \\fB\\-\\-milk\\fR \\fInone|oat\\fR\n"
                                     "The milk's kind; may be left out [none: black]. Default: none.\n"));
  EXPECT_THAT(brew_page(), HasSubstr("What is added. Values: anise, clove.\n"));
}

TEST(ManPageTest, WhatRoffReadsSpeciallyIsEscaped) {
  EXPECT_THAT(brew_page(), HasSubstr("A \\e and a \\(dqquote\\(dq stay, \\&.5 and \\&'words' too.\n"));
  EXPECT_THAT(brew_page(), HasSubstr(".TH WARPTUNE\\-BREW 1 "));
}

TEST(ManPageTest, ACommandNamesOnlyTheFilesOfItsOptions) {
  EXPECT_THAT(brew_page(), HasSubstr("/etc/beans"));
  EXPECT_THAT(brew_page(), HasSubstr("/var/milk"));
  EXPECT_THAT(brew_page(), Not(HasSubstr("/var/tea")));
  EXPECT_THAT(program_man_page(coffee_program()), HasSubstr("/var/tea"));
}

TEST(ManPageTest, VariablesOfWarptunesOwnUseAreLeftOut) {
  EXPECT_THAT(brew_page(), HasSubstr("WARPTUNE_SHARE"));
  EXPECT_THAT(brew_page(), Not(HasSubstr("WARPTUNE_WORKER")));
}

TEST(ManPageTest, APageNamesItsRelatives) {
  EXPECT_THAT(brew_page(), HasSubstr("\\fBwarptune\\fR(1), \\fBwarptune\\-grind\\fR(1)\n"));
}

TEST(ManPageTest, NoLineIsLongerThan80Columns) {
  ProgramDescription program = coffee_program();
  for (int i = 0; i < 50; ++i) program.commands.front().description += " words and words";
  for (const std::string& line : base::split(command_man_page(program, program.commands.front()), '\n'))
    EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace warptune::tuner::manual
