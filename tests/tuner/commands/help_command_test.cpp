// `warptune help`: manual pages and completions of the real commands, against what their --help prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/exit_codes.h"
#include "base/text.h"
#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tuner/commands/command.h"
#include "tuner/manual/help_text.h"
#include "tuner/manual/man_page.h"
#include "tuner/manual/value_completion.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

// All spellings of the options that a help text lists: `-o`, `--output`.
std::vector<std::string> listed_options(const std::string& help) {
  static const std::regex kLine(R"(^  (-\w)?(?:, )?(--[a-z-]+))");
  std::vector<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, kLine)) continue;
    if (match[1].matched) options.push_back(match[1]);
    options.push_back(match[2]);
  }
  return options;
}

class HelpCommandTest : public ::testing::Test {
 protected:
  // What each command's own help lists. `HelpOfACommandIsWhatTheCommandSays` shows that the program prints
  // this text.
  static std::map<std::string, std::vector<std::string>> options_of_commands() {
    std::map<std::string, std::vector<std::string>> options;
    for (const manual::CommandDescription& command : program_description().commands)
      options[command.name] = listed_options(manual::help_text(command));
    return options;
  }

  static std::string page_of(const std::string& name) {
    const manual::ProgramDescription program = program_description();
    for (const manual::CommandDescription& command : program.commands)
      if (command.name == name) return manual::command_man_page(program, command);
    return "";
  }

  bool has_program(const std::string& name) { return warptune_.shell("command -v " + name).exit_code == 0; }

  // Lines of `text`, each "KEY: WORD WORD ...".
  static std::map<std::string, std::vector<std::string>> words_by_key(const std::string& text) {
    std::map<std::string, std::vector<std::string>> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream rest(line.substr(line.find(':') + 1));
      std::vector<std::string>& words = found[line.substr(0, line.find(':'))];
      for (std::string word; rest >> word;) words.push_back(word);
    }
    return found;
  }

  // What bash offers for the last of the words of each line, by that line.
  std::map<std::string, std::vector<std::string>> offered_by_bash(const std::vector<std::string>& lines) {
    warptune_.file("completion", warptune_.run({"help", "--completion", "bash"}).out);
    std::string script =
        "source ./completion\n"
        "offer() { COMP_WORDS=(\"${@:2}\"); COMP_CWORD=$(($# - 2)); _warptune; echo \"$1: ${COMPREPLY[*]}\"; "
        "}\n";
    for (const std::string& line : lines) script += "offer '" + line + "' warptune " + line + "\n";
    warptune_.file("offers", script);
    const testing::ProgramRun run = warptune_.shell("bash -eu offers");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return words_by_key(run.out);
  }

  testing::Warptune warptune_;
};

TEST_F(HelpCommandTest, HelpOfACommandIsWhatTheCommandSays) {
  for (const manual::CommandDescription& command : program_description().commands) {
    const testing::ProgramRun help = warptune_.run({"help", command.name});
    EXPECT_EQ(help.exit_code, 0) << command.name;
    EXPECT_EQ(help.out, manual::help_text(command)) << command.name;
    EXPECT_EQ(help.out, warptune_.run({command.name, "--help"}).out);
  }
}

TEST_F(HelpCommandTest, AnUnknownCommandIsRefusedWithTheNearestName) {
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"help", "tun"}, {"help", "--man", "tun"}, {"tun"}}) {
    const testing::ProgramRun run = warptune_.run(asked);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("unknown command 'tun' (did you mean tune"));
  }
  EXPECT_EQ(warptune_.run({"help", "tune", "--completion", "bash"}).exit_code, 2);
  EXPECT_EQ(warptune_.run({"help", "--man", "--completion", "bash"}).exit_code, 2);
  EXPECT_EQ(warptune_.run({"help", "--completion", "tcsh"}).exit_code, 2);
}

TEST_F(HelpCommandTest, APageHasEveryOptionOfItsCommandsHelp) {
  for (const auto& [name, options] : options_of_commands()) {
    EXPECT_THAT(options, IsSupersetOf({"-h", "--help", "--log-level"})) << name;
    const std::string page = page_of(name);
    for (std::string option : options) {
      option = std::regex_replace(option, std::regex("-"), "\\-");
      EXPECT_THAT(page, HasSubstr("\\fB" + option + "\\fR")) << name;
    }
  }
}

TEST_F(HelpCommandTest, TheProgramsPageHasEveryCommandExitCodeAndVariable) {
  const std::string page = warptune_.run({"help", "--man"}).out;
  for (const Command& command : commands())
    EXPECT_THAT(page, HasSubstr(".TP\n\\fBwarptune\\-" + std::string(command.name) + "\\fR(1)\n"));
  for (const base::ExitCodeInfo& row : base::exit_codes())
    EXPECT_THAT(page, HasSubstr("\\fB" + std::to_string(static_cast<int>(row.code)) + "\\fR\n"));
  for (const base::VariableInfo& row : base::environment_variables()) {
    const std::string entry = "\\fB" + std::string(row.name) + "\\fR\n";
    EXPECT_THAT(page, row.meaning.empty() ? ::testing::Matcher<std::string>(Not(HasSubstr(entry)))
                                          : ::testing::Matcher<std::string>(HasSubstr(entry)));
  }
}

TEST_F(HelpCommandTest, InstallWritesThePageOfEveryCommandAndTheScriptOfEveryShell) {
  ASSERT_EQ(warptune_.run({"help", "--install", "share"}).exit_code, 0);
  const std::filesystem::path share = warptune_ / "share";
  EXPECT_EQ(testing::slurp(share / "man/man1/warptune.1"), warptune_.run({"help", "--man"}).out);
  for (const Command& command : commands()) {
    const std::string name(command.name);
    EXPECT_EQ(testing::slurp(share / "man/man1" / ("warptune-" + name + ".1")), page_of(name));
  }
  EXPECT_EQ(warptune_.run({"help", "--man", "tune"}).out, page_of("tune"));
  const auto script = [&](const char* shell) { return warptune_.run({"help", "--completion", shell}).out; };
  EXPECT_EQ(testing::slurp(share / "bash-completion/completions/warptune"), script("bash"));
  EXPECT_EQ(testing::slurp(share / "zsh/site-functions/_warptune"), script("zsh"));
  EXPECT_EQ(testing::slurp(share / "fish/vendor_completions.d/warptune.fish"), script("fish"));
}

TEST_F(HelpCommandTest, MandocAndManFindNothingToComplainOf) {
  if (!has_program("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  ASSERT_EQ(warptune_.run({"help", "--install", "share"}).exit_code, 0);
  const testing::ProgramRun lint = warptune_.shell("mandoc -T lint share/man/man1/*.1");
  EXPECT_EQ(lint.out + lint.err, "");
  EXPECT_EQ(lint.exit_code, 0);
  if (!has_program("man")) GTEST_SKIP() << "man is not installed";
  const testing::ProgramRun man = warptune_.shell(
      "for page in share/man/man1/*.1; do man --warnings=w -l \"$page\" >/dev/null || exit; done");
  EXPECT_EQ(man.err, "");
  EXPECT_EQ(man.exit_code, 0);
}

TEST_F(HelpCommandTest, BashOffersEveryCommandAndEveryOptionOfTheirHelp) {
  const auto options = options_of_commands();
  std::vector<std::string> lines = {"\"\""};
  for (const auto& [name, ignored] : options) lines.push_back(name + " -");
  const auto offered = offered_by_bash(lines);
  for (const auto& [name, listed] : options) {
    EXPECT_THAT(offered.at("\"\""), Contains(name));
    EXPECT_THAT(offered.at(name + " -"), UnorderedElementsAreArray(listed)) << name;
  }
  EXPECT_THAT(offered.at("\"\""), IsSupersetOf({"--version", "-V", "--help", "-h"}));
}

TEST_F(HelpCommandTest, BashOffersValues) {
  warptune_.file("my_kernel.cu", "");
  const auto offered = offered_by_bash(
      {"tune --cache \"\"", "tune --cache = w", "tune sg", "tune my", "tune --size M = 8",
       "replay --strategy auto,rand", "export --format h", "tune --objective ener", "cache \"\"", "help que",
       "export -o my", "tune --compile-cache n", "lab str", "help --completion \"\""});
  const auto is = [&](const char* line, const std::vector<std::string>& words) {
    EXPECT_THAT(offered.at(line), UnorderedElementsAreArray(words)) << line;
  };
  is("tune --cache \"\"", {"cold", "warm"});
  is("tune --cache = w", {"warm"});
  is("tune sg", {"sgemm"});
  is("tune my", {"my_kernel.cu"});
  is("tune --size M = 8", {});
  is("replay --strategy auto,rand", {"auto,random"});
  is("export --format h", {"header"});
  is("tune --objective ener", {"energy", "energy_j"});
  is("cache \"\"", {"info", "clear"});
  is("help que", {"query"});
  is("export -o my", {"my_kernel.cu"});
  is("tune --compile-cache n", {"none"});
  EXPECT_THAT(offered.at("lab str"), Contains("stride"));
  is("help --completion \"\"", {"bash", "zsh", "fish"});
}

TEST_F(HelpCommandTest, ZshOffersEveryOptionInAScriptThatItReads) {
  const std::string script = warptune_.run({"help", "--completion", "zsh"}).out;
  for (const auto& [name, options] : options_of_commands()) {
    const std::size_t start = script.find("\n_warptune_" + name + "() {\n");
    ASSERT_NE(start, std::string::npos) << name;
    const std::string function = script.substr(start, script.find("\n}\n", start) - start);
    for (const std::string& option : options)
      EXPECT_TRUE(std::regex_search(function, std::regex("['*)]" + option + "[=+\\[]")))
          << name << " " << option;
    EXPECT_THAT(script, HasSubstr("\n  '" + name + ":"));
  }
  if (!has_program("zsh")) GTEST_SKIP() << "zsh is not installed";
  warptune_.file("script", script);
  const testing::ProgramRun checked = warptune_.shell("zsh -n script");
  EXPECT_EQ(checked.err, "");
  EXPECT_EQ(checked.exit_code, 0);
}

TEST_F(HelpCommandTest, FishOffersEveryCommandAndEveryOptionOfTheirHelp) {
  if (!has_program("fish")) GTEST_SKIP() << "fish is not installed";
  const auto options = options_of_commands();
  warptune_.file("completion.fish", warptune_.run({"help", "--completion", "fish"}).out);
  std::string script = "source completion.fish\n";
  const auto offer = [&](const std::string& line) {
    script +=
        "echo '" + line + ':' + "'(complete -C '" + line + "' | string split -f1 \\t | string join ' ')\n";
  };
  offer("warptune ");
  for (const auto& [name, ignored] : options) offer("warptune " + name + " -");
  offer("warptune tune --cache ");
  offer("warptune replay --strategy auto,rand");
  warptune_.file("offers", script);
  const testing::ProgramRun run = warptune_.shell("fish -n completion.fish && fish --no-config offers");
  EXPECT_EQ(run.err, "");
  const auto offered = words_by_key(run.out);
  for (const auto& [name, listed] : options) {
    EXPECT_THAT(offered.at("warptune "), Contains(name));
    EXPECT_THAT(offered.at("warptune " + name + " -"), UnorderedElementsAreArray(listed)) << name;
  }
  EXPECT_THAT(offered.at("warptune tune --cache "), UnorderedElementsAreArray({"cold", "warm"}));
  EXPECT_THAT(offered.at("warptune replay --strategy auto,rand"), UnorderedElementsAreArray({"auto,random"}));
}

TEST_F(HelpCommandTest, EachCommandHasExamplesWhoseOptionsItTakes) {
  for (const manual::CommandDescription& command : program_description().commands) {
    EXPECT_FALSE(command.examples.empty()) << command.name;
    for (const manual::Example& example : command.examples) {
      EXPECT_TRUE(example.arguments.starts_with(command.name)) << example.arguments;
      std::string arguments = example.arguments.substr(0, example.arguments.find_first_of("|>"));
      arguments = arguments.substr(0, arguments.find(" -- "));  // The rest is for the program that it runs.
      const testing::ProgramRun run = warptune_.shell("$WARPTUNE " + arguments + " --help");
      EXPECT_EQ(run.exit_code, 0) << example.arguments << ": " << run.err;
    }
  }
}

TEST_F(HelpCommandTest, RelatedCommandsAreCommands) {
  std::set<std::string> names;
  for (const Command& command : commands()) names.emplace(command.name);
  for (const manual::CommandDescription& command : program_description().commands) {
    EXPECT_FALSE(command.related.empty()) << command.name;
    for (const std::string& related : command.related)
      EXPECT_TRUE(names.count(related) != 0 && related != command.name) << command.name << " " << related;
  }
}

TEST_F(HelpCommandTest, KnownWordsNeedNoQuotesInAnyShell) {
  const std::regex plain("[A-Za-z0-9_.+-]+");
  const auto check = [&](const std::string& placeholder, const std::vector<std::string>& words) {
    for (const std::string& word : manual::completion_of(placeholder, words).words)
      EXPECT_TRUE(std::regex_match(word, plain)) << word;
  };
  for (const manual::CommandDescription& command : program_description().commands) {
    if (command.positional) check(command.positional->placeholder, command.positional->words);
    for (const manual::OptionDescription& option : command.options) check(option.placeholder, option.words);
  }
}

TEST_F(HelpCommandTest, KernelsAreThoseThatAreShipped) {
  for (const manual::CommandDescription& command : program_description().commands) {
    if (!command.positional || command.positional->placeholder != "KERNEL") continue;
    EXPECT_EQ(command.positional->words, kernel_templates::shipped_kernels()) << command.name;
  }
}

TEST_F(HelpCommandTest, TheDocumentOfTheCommandLineSaysWhatTheManualSays) {
  const std::string document = testing::slurp(WARPTUNE_SOURCE_FOLDER "/docs/command-line.md");
  for (const Command& command : commands())
    EXPECT_THAT(document, HasSubstr("| `" + std::string(command.name) + "` | " +
                                    std::string(command.summary) + " |\n"));
  for (const base::ExitCodeInfo& row : base::exit_codes())
    EXPECT_THAT(document, HasSubstr("| " + std::to_string(static_cast<int>(row.code)) + " | " +
                                    std::string(row.meaning) + " |\n"));
  for (const base::VariableInfo& row : base::environment_variables()) {
    if (row.meaning.empty()) continue;
    EXPECT_THAT(document,
                HasSubstr("| `" + std::string(row.name) + "` | " + std::string(row.meaning) + " |\n"));
  }
  for (const manual::FileDescription& file : program_description().files)
    EXPECT_THAT(document, HasSubstr("| `" + file.path + "` | " + file.meaning + " |\n"));
}

}  // namespace
}  // namespace warptune::tuner::commands
