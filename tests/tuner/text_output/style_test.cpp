// Colour and widths on a terminal: the program runs with a pseudo terminal as its standard output.
#include "tuner/text_output/style.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

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
    int program = -1;
    EXPECT_EQ(::openpty(&terminal, &program, nullptr, nullptr, &size), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(terminal);
      if (::login_tty(program) != 0) ::_exit(126);
      become(std::move(arguments));
    }
    // This process keeps the program's end open, too. Otherwise the terminal may lose the last output when
    // the program ends.
    std::string text;
    std::array<char, 4096> part{};
    int status = 0;
    for (bool ended = false;;) {
      pollfd readable{terminal, POLLIN, 0};
      if (::poll(&readable, 1, 10) > 0) {
        const ssize_t count = ::read(terminal, part.data(), part.size());
        if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
      } else if (ended) {
        break;
      } else {
        ended = ::waitpid(child, &status, WNOHANG) == child;
      }
    }
    ::close(program);
    ::close(terminal);
    EXPECT_TRUE(WIFEXITED(status)) << text;
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
        EXPECT_TRUE(one_word || line.size() <= columns + 1U) << line;  // The carriage return counts.
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

// A database with a tuned kernel, from a replay.
class TunedOnTerminalTest : public OnTerminalTest {
 protected:
  void SetUp() override {
    no_colour_ = "1";
    tuned_ = shown({"tune", "transpose", "--budget", "40"}, 2000);
    no_colour_.clear();
  }

  std::string tuned_;
};

TEST_F(TunedOnTerminalTest, LinesOutsideOfTablesFitItsColumnsAndKeepWordsWhole) {
  no_colour_ = "1";
  for (const Arguments& arguments :
       std::vector<Arguments>{{"query", "transpose"},
                              {"query", "transpose", "--size", "M=300", "--size", "N=300"},
                              {"show", "1", "--top", "3"},
                              {"space", "transpose"},
                              {"db", "info"},
                              {"space", "transpose", "--list", "3"},
                              {"query", "transpose", "--size", "M=0"}}) {
    const std::string wide = shown(arguments, 2000);
    for (const unsigned columns : {60U, 80U, 120U, 200U}) {
      for (const std::string& line : base::split(shown(arguments, columns), '\n')) {
        const std::string bare(base::trim(line));
        const bool one_word = bare.find(' ') == std::string::npos;
        EXPECT_TRUE(one_word || line.size() <= columns + 1U) << line;
        for (const std::string& word : base::split(bare, ' ')) {
          const bool varies = word.starts_with("--") || word.find('.') != std::string::npos;
          EXPECT_TRUE(varies || wide.find(word) != std::string::npos) << word;
        }
      }
    }
  }
}

TEST_F(TunedOnTerminalTest, TheBestAndWhatToLookAtAreColoured) {
  const std::string answer = shown({"query", "transpose"}, 100);
  EXPECT_THAT(answer, HasSubstr("match: \x1b[32mexact\x1b[0m"));
  EXPECT_THAT(answer, HasSubstr("\x1b[32mtime (median)"));
  EXPECT_THAT(answer, HasSubstr("\x1b[33mreplayed from a recording"));
  const std::string rows = shown({"show", "1", "--top", "2"}, 400);
  EXPECT_EQ(base::split(rows, '\n').size(),
            base::split(shown({"show", "1", "--top", "1"}, 400), '\n').size() + 1);
  const std::size_t best = rows.find("\x1b[32m");
  ASSERT_NE(best, std::string::npos) << rows;
  EXPECT_EQ(rows.find("\x1b[32m", best + 1), std::string::npos) << "one row is the best";
  for (const Arguments& arguments : std::vector<Arguments>{{"query", "transpose"}, {"show", "1"}}) {
    no_colour_ = "1";
    EXPECT_THAT(shown(arguments, 100), Not(HasSubstr("\x1b")));
  }
}

TEST_F(OnTerminalTest, TheLevelOfAWarningIsColoured) {
  const std::filesystem::path kernel = testing::write_toy_kernel(folder_);
  EXPECT_THAT(shown({"query", kernel.string()}, 2000), HasSubstr("\x1b[33m\x1b[1mwarning\x1b[m"));
  no_colour_ = "1";
  EXPECT_THAT(shown({"query", kernel.string()}, 2000), HasSubstr("warptune: warning: "));
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
