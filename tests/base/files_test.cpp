#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "base/error.h"

namespace warptune::base {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "warptune_files_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Sets an environment variable for a scope; without a value it is unset.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    set(value);
  }
  ~ScopedVariable() { set(old_ ? old_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> old_;
};

template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Files, ReadsBackEveryByteThatWasWritten) {
  const TemporaryFolder folder;
  const std::string bytes("one\r\n\0two\xff", 10);
  write_file_atomically(folder.path() / "file", bytes);
  EXPECT_EQ(read_file(folder.path() / "file"), bytes);
}

TEST(Files, AreNotWrittenIntoFoldersThatDoNotExist) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<InputError>([&] { write_file_atomically(folder.path() / "typo" / "file", "x"); }),
              ::testing::HasSubstr("typo does not exist; make it, or correct the path"));
  EXPECT_FALSE(fs::exists(folder.path() / "typo"));
}

TEST(Files, AreFoundToBeWritableWithoutBeingWritten) {
  const TemporaryFolder folder;
  require_writable(folder.path() / "new");
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_file_atomically(folder.path() / "old", "text");
  require_writable(folder.path() / "old");
  EXPECT_EQ(read_file(folder.path() / "old"), "text");
  require_writable("/dev/full");
  EXPECT_THROW(require_writable(folder.path()), InputError);
  EXPECT_THROW(require_writable(folder.path() / "missing/new"), InputError);
  EXPECT_THROW(require_writable("/proc/new"), MachineError);
}

TEST(Files, ReplacesAFileAndLeavesNothingBesideIt) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "file", "a long first text");
  write_file_atomically(folder.path() / "file", "second");
  EXPECT_EQ(read_file(folder.path() / "file"), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Files, WritesToWhatALinkLeadsToAndKeepsTheLink) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "file", "first");
  fs::create_symlink("file", folder.path() / "link");
  write_file_atomically(folder.path() / "link", "second");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "file"), "second");
}

TEST(Files, WritesIntoAPipeAndDoesNotReplaceIt) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file_atomically(pipe, "through");
  std::string got(16, '\0');
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  EXPECT_EQ(got.substr(0, 7), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// Where a name of a process's number was used, anybody could lay a link there before.
TEST(Files, TouchesNothingThatALinkOfAGuessedNameLeadsTo) {
  const TemporaryFolder folder;
  const fs::path victim = folder.path() / "victim";
  write_file_atomically(victim, "precious");
  fs::create_symlink(victim, folder.path() / ("file.tmp" + std::to_string(::getpid())));
  write_file_atomically(folder.path() / "file", "mine");
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_EQ(read_file(folder.path() / "file"), "mine");
  EXPECT_FALSE(fs::is_symlink(folder.path() / "file"));
}

TEST(Files, ANewFileHasTheModeThatTheUmaskLeaves) {
  const TemporaryFolder folder;
  for (const mode_t mask : {mode_t{022}, mode_t{077}, mode_t{0}}) {
    const mode_t before = ::umask(mask);
    write_file_atomically(folder.path() / "file", "x");
    ::umask(before);
    EXPECT_EQ(static_cast<unsigned>(fs::status(folder.path() / "file").permissions()), 0666U & ~mask);
  }
}

TEST(Files, WhatIsPrivateIsSoWhateverTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_private_folder(folder.path() / "a" / "b"));
  EXPECT_TRUE(make_private_file(folder.path() / "a" / "file"));
  ::umask(before);
  const auto mode = [&](const char* name) {
    return static_cast<unsigned>(fs::status(folder.path() / name).permissions());
  };
  EXPECT_EQ(mode("a"), 0700U);
  EXPECT_EQ(mode("a/b"), 0700U);
  EXPECT_EQ(mode("a/file"), 0600U);
  write_file_atomically(folder.path() / "a" / "file", "kept");
  EXPECT_TRUE(make_private_file(folder.path() / "a" / "file"));
  EXPECT_EQ(read_file(folder.path() / "a" / "file"), "kept");
  EXPECT_FALSE(make_private_folder(folder.path() / "a" / "file" / "below"));
}

TEST(Files, AnOwnFileIsReadUnlessItIsALinkOrAPipeOrTooLong) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  write_file_atomically(file, "seven");
  EXPECT_EQ(read_own_file(file, 5), "seven");
  EXPECT_EQ(read_own_file(file, 4), std::nullopt);
  fs::create_symlink("file", folder.path() / "link");
  EXPECT_EQ(read_own_file(folder.path() / "link", 5), std::nullopt);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_own_file(folder.path() / "pipe", 5), std::nullopt);
  EXPECT_EQ(read_own_file(folder.path() / "none", 5), std::nullopt);
}

TEST(Files, NamesAFileThatCannotBeReadAndTheReason) {
  const TemporaryFolder folder;
  const std::string missing = (folder.path() / "missing").string();
  EXPECT_EQ(message_of<InputError>([&] { read_file(missing); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_THAT(message_of<InputError>([&] { read_file(folder.path()); }),
              ::testing::HasSubstr("expected a file, found a folder"));
}

TEST(Files, SaysWhyAFileCannotBeWrittenAndLeavesNothing) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "file", "");
  EXPECT_THAT(message_of<MachineError>([&] { write_file_atomically(folder.path() / "file" / "below", "x"); }),
              ::testing::AllOf(::testing::HasSubstr("below: cannot be written: Not a directory"),
                               ::testing::HasSubstr("choose a folder")));
  fs::create_directory(folder.path() / "taken");
  write_file_atomically(folder.path() / "taken" / "inside", "x");
  EXPECT_THAT(message_of<InputError>([&] { write_file_atomically(folder.path() / "taken", "x"); }),
              ::testing::HasSubstr("taken: expected a file to write, found a folder"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(DataFolder, FollowsXdgThenHomeThenComplains) {
  const ScopedVariable home("HOME", "/home/somebody");
  {
    const ScopedVariable xdg("XDG_DATA_HOME", "/data");
    EXPECT_EQ(data_folder(), "/data/warptune");
  }
  const ScopedVariable xdg("XDG_DATA_HOME", "");
  EXPECT_EQ(data_folder(), "/home/somebody/.local/share/warptune");
  const ScopedVariable no_home("HOME", nullptr);
  EXPECT_THAT(message_of<MachineError>([] { data_folder(); }), ::testing::HasSubstr("--db FILE"));
}

TEST(ShareFolder, FollowsItsVariable) {
  const ScopedVariable share("WARPTUNE_SHARE", "/elsewhere");
  EXPECT_EQ(share_folder(), "/elsewhere");
}

TEST(ShareFolder, IsTheSameThroughALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "share");
  fs::create_symlink(folder.path() / "share", folder.path() / "link");
  const ScopedVariable share("WARPTUNE_SHARE", (folder.path() / "link").c_str());
  EXPECT_EQ(share_folder(), fs::canonical(folder.path() / "share"));
}

TEST(ProgramFolder, HoldsThisTest) { EXPECT_TRUE(fs::exists(program_folder() / "base_tests")); }

}  // namespace
}  // namespace warptune::base
