// Commands on a definition that must be trusted: with a terminal, without one, and with --trust.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "tests/tuner/program.h"

namespace warptune::tuner::trust {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A terminal of the operating system's kernel. What a person would type is written to it beforehand.
class PseudoTerminal {
 public:
  PseudoTerminal() {
    std::array<char, 256> name{};
    EXPECT_EQ(::openpty(&person_, &program_, name.data(), nullptr, nullptr), 0);
    name_ = name.data();
  }
  ~PseudoTerminal() {
    ::close(person_);
    ::close(program_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& name() const { return name_; }
  void type(const std::string& text) const {
    EXPECT_EQ(::write(person_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // What the program wrote so far, and the echo of what was typed.
  std::string shown() const {
    ::fcntl(person_, F_SETFL, O_NONBLOCK);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = ::read(person_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(size));
    return text;
  }

 private:
  int person_ = -1;
  int program_ = -1;
  std::string name_;
};

// A toy whose data are a file outside of its folder. Without a GPU a trusted one ends with exit code 3.
class TrustCommandsTest : public ::testing::Test {
 protected:
  TrustCommandsTest() {
    fs::create_directories(warptune_ / "own");
    fs::create_directories(warptune_ / "else");
    warptune_.file("else/data.bin", std::string(4096, '\0'));
    std::string toy = testing::slurp(testing::write_toy_kernel(warptune_.folder()));
    const std::string usual = "{ kind = \"constant\", value = 1.0 }";
    toy.replace(toy.find(usual), usual.size(), "{ kind = \"file\", path = \"../else/data.bin\" }");
    kernel_ = warptune_.file("own/toy.cu", toy);
    ::chmod(warptune_.folder().path().c_str(), 0755);
    ::chmod((warptune_ / "own").c_str(), 0755);
    ::chmod(kernel_.c_str(), 0644);
  }

  std::vector<std::string> tune(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"tune", kernel_, "--budget", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  testing::ProgramRun tune_on(const PseudoTerminal& terminal) {
    return warptune_.shell("exec \"$WARPTUNE\" tune " + kernel_ + " --budget 1 <" + terminal.name() + " 2>" +
                           terminal.name());
  }
  std::string trusted_folders() const { return testing::slurp(warptune_ / "data/warptune/trusted-folders"); }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(TrustCommandsTest, WithoutATerminalTheCommandEndsAndSaysWhatTheDefinitionAskedFor) {
  const testing::ProgramRun refused = warptune_.run(tune());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("data.bin"), HasSubstr("--trust")));
  EXPECT_EQ(trusted_folders(), "");
  const testing::ProgramRun trusted = warptune_.run(tune({"--trust"}));
  EXPECT_EQ(trusted.exit_code, 3) << trusted.err;
  EXPECT_EQ(trusted_folders(), "") << "--trust holds for one command";
}

TEST_F(TrustCommandsTest, OnATerminalAYesIsRememberedForLaterCommands) {
  const PseudoTerminal terminal;
  terminal.type("y\n");
  const testing::ProgramRun asked = tune_on(terminal);
  const std::string shown = terminal.shown();
  EXPECT_EQ(asked.exit_code, 3) << shown;
  EXPECT_THAT(shown,
              HasSubstr("Do you trust the definitions in " + (warptune_ / "own").string() + "? [y/N]"));
  EXPECT_EQ(trusted_folders(), (warptune_ / "own").string() + "\n");
  EXPECT_EQ(warptune_.run(tune()).exit_code, 3);
}

TEST_F(TrustCommandsTest, OnATerminalANoEndsTheCommand) {
  const PseudoTerminal terminal;
  terminal.type("n\n");
  const testing::ProgramRun asked = tune_on(terminal);
  const std::string shown = terminal.shown();
  EXPECT_EQ(asked.exit_code, 2) << shown;
  EXPECT_THAT(shown, HasSubstr("[y/N]"));
  EXPECT_EQ(trusted_folders(), "");
}

TEST_F(TrustCommandsTest, AFolderThatOthersCanWriteToIsNeverAskedFor) {
  ::chmod((warptune_ / "own").c_str(), 0777);
  const PseudoTerminal terminal;
  terminal.type("y\n");
  EXPECT_EQ(tune_on(terminal).exit_code, 2);
  EXPECT_THAT(terminal.shown(), AllOf(HasSubstr("others could change it"), Not(HasSubstr("[y/N]"))));
}

}  // namespace
}  // namespace warptune::tuner::trust
