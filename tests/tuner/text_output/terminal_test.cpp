#include "tuner/text_output/terminal.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace warptune::tuner::text_output {
namespace {

TEST(TerminalTest, BreaksLongLinesAtBlanksUnderTheirOwnIndentation) {
  EXPECT_EQ(wrap_lines("head\n      one two three four five six seven eight nine ten\nlast\n", 45),
            "head\n"
            "      one two three four five six seven eight\n"
            "          nine ten\n"
            "last\n");
}

TEST(TerminalTest, KeepsShortLinesAndAllTextWithoutAWidth) {
  const std::string text = "  a table   with columns\n\nand a line without an end";
  EXPECT_EQ(wrap_lines(text, 80), text);
  EXPECT_EQ(wrap_lines(std::string(300, 'x') + " y", 0), std::string(300, 'x') + " y");
  EXPECT_EQ(wrap_lines("", 80), "");
}

TEST(TerminalTest, KeepsWordsWholeThatAreLongerThanALine) {
  const std::string word(60, 'x');
  EXPECT_EQ(wrap_lines("  " + word + " y\n", 40), "  " + word + "\n      y\n");
  EXPECT_EQ(wrap_lines(word + "\n", 40), word + "\n");
}

// The text that `print` writes to a file.
template <class Print>
std::string written(Print print) {
  std::FILE* file = std::tmpfile();
  print(file);
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(TerminalTest, PrintsWhatMustNotReachATerminalAsEscapes) {
  EXPECT_EQ(written([](std::FILE* file) { print_to(file, "a\x1b]0;title\x07\xff\n\tb\n"); }),
            "a\\u001b]0;title\\u0007\\xff\n\tb\n");
}

TEST(TerminalTest, ItsOwnEscapesStay) { EXPECT_EQ(written(erase_line), "\r\x1b[2K"); }

TEST(TerminalTest, AFileHasNoWidth) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(terminal_width(file), 0U);
  std::fclose(file);
}

}  // namespace
}  // namespace warptune::tuner::text_output
