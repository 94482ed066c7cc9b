// Colour and widths on a terminal: the program runs with a pseudo terminal as its standard output.
#include "tuner/text_output/style.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::text_output {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Arguments = std::vector<std::string>;

class OnTerminalTest : public ::testing::Test {
 protected:
  // What the program prints on a terminal with so many columns.
  std::string shown(Arguments arguments, unsigned columns) {
    winsize size{};
    size.ws_row = 40;
    size.ws_col = static_cast<unsigned short>(columns);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) become(std::move(arguments));
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(terminal, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(count));
    ::close(terminal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return text;
  }

  [[noreturn]] void become(Arguments arguments) {
    for (const char* name : {"NO_COLOR", "WARPTUNE_WORKER"}) ::unsetenv(name);
    ::setenv("HOME", folder_.path().c_str(), 1);
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
    ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    ::setenv("TERM", "xterm", 1);
    if (!no_colour_.empty()) ::setenv("NO_COLOR", no_colour_.c_str(), 1);
    arguments.insert(arguments.begin(), WARPTUNE_BINARY);
    std::vector<char*> list;
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    ::execv(WARPTUNE_BINARY, list.data());
    ::_exit(127);
  }

  testing::TemporaryFolder folder_;
  std::string no_colour_;
};

TEST_F(OnTerminalTest, TablesFitItsColumnsAndKeepWordsWhole) {
  no_colour_ = "1";
  for (const Arguments& arguments :
       std::vector<Arguments>{{"list"}, {"strategies"}, {"space", "transpose"}}) {
    const std::string wide = shown(arguments, 2000);
    for (const unsigned columns : {60U, 80U, 120U, 200U}) {
      const std::string text = shown(arguments, columns);
      for (const std::string& line : base::split(text, '\n')) {
        const std::string bare(base::trim(line));
        const bool one_word = bare.find(' ') == std::string::npos;
        if (!one_word && !bare.starts_with("M=") && bare.find(" valid of ") == std::string::npos) {
          EXPECT_LE(line.size(), columns + 1U) << line;  // The terminal's carriage return counts.
        }
        for (const std::string& word : base::split(bare, ' ')) {
          const bool rule = word.starts_with("--");
          EXPECT_TRUE(rule || wide.find(word) != std::string::npos || word.find("ms") != std::string::npos ||
                      word.find('.') != std::string::npos)
              << word;
        }
      }
    }
  }
}

TEST_F(OnTerminalTest, HeadingsAndErrorsAreColoured) {
  EXPECT_THAT(shown({"list"}, 100), HasSubstr("\x1b[1mkernel"));
  EXPECT_THAT(shown({"lisst"}, 100), HasSubstr("\x1b[31mwarptune:\x1b[0m unknown command"));
  EXPECT_THAT(shown({"list", "--format", "json"}, 100), Not(HasSubstr("\x1b")));
}

TEST_F(OnTerminalTest, NothingIsColouredWhereThatIsNotWanted) {
  no_colour_ = "1";
  EXPECT_THAT(shown({"list"}, 100), Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown({"lisst"}, 100), Not(HasSubstr("\x1b")));
}

TEST(StyleTest, WithoutATerminalStyledTextIsTheTextItself) {
  EXPECT_EQ(styled(Style::kBad, "text"), "text");
  EXPECT_EQ(with_marks_replaced("a \\(12) text \x1b", true), "a \\(12) text \x1b");
}

}  // namespace
}  // namespace warptune::tuner::text_output
