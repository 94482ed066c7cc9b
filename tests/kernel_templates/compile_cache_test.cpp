// Compiled programs on disk: what is found, what is not found, and what happens to damaged files.

#include "kernel_templates/compile_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

model::Outcome<CompiledKernel> kernel_of(const std::string& cubin) {
  CompiledKernel kernel;
  kernel.cubin = cubin;
  kernel.entries = {{"f<1>", "_Z1fILi1EEvv", 40, 8192, 64, 12}, {"g", "g", 16, 0, 0, 0}};
  kernel.variables = {{"&weights", "_ZL7weights"}};
  kernel.log = "a warning";
  kernel.compile_ms = 33.5;
  return kernel;
}

model::Outcome<CompiledKernel> failure_of(model::Status status, const std::string& reason) {
  return base::failure(model::Rejection{status, reason});
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string key_of(int number) { return base::hash_hex(std::to_string(number)); }

// An entry in the format of earlier versions: key, not compiled, status, reason. Numbers have 8 bytes in the
// host's order.
std::string earlier_form(const std::string& key) {
  const auto number = [](char value) { return std::string(1, value) + std::string(7, '\0'); };
  const std::string body = number(32) + key + number(0) + number(14) + "compile_failed" + number(3) + "no!";
  return "wtcompiled" + base::hash_hex(body) + body;
}

class CompileCacheTest : public ::testing::Test {
 protected:
  fs::path place_of(const std::string& key) const {
    for (const auto& file : fs::recursive_directory_iterator(folder_.path())) {
      if (file.path().filename().string().starts_with(key)) return file.path();
    }
    return {};
  }
  TemporaryFolder folder_;
  CompileCache cache_{folder_.path() / "made/when/needed"};
};

TEST_F(CompileCacheTest, GivesBackEveryFieldAndSaysWhereItIsFrom) {
  const std::string bytes = std::string("\x7f\0ELF", 5) + std::string(60000, 'x');
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  cache_.store(key_of(1), kernel_of(bytes));
  const auto found = cache_.find(key_of(1));
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->cubin, bytes);
  EXPECT_EQ((*found)->find_variable("&weights"), "_ZL7weights");
  EXPECT_EQ((*found)->log, "a warning");
  EXPECT_EQ((*found)->compile_ms, 33.5);
  EXPECT_TRUE((*found)->from_cache);
  ASSERT_EQ((*found)->entries.size(), 2U);
  const EntryCode& entry = (*found)->find_entry("f<1>");
  EXPECT_EQ(entry.lowered_name, "_Z1fILi1EEvv");
  EXPECT_EQ(entry.registers_per_thread, 40);
  EXPECT_EQ(entry.static_shared_bytes, 8192);
  EXPECT_EQ(entry.local_bytes, 64);
  EXPECT_EQ(entry.spill_bytes, 12);
  const CacheStatistics statistics = cache_.statistics();
  EXPECT_EQ(statistics.entries, 1U);
  EXPECT_GT(statistics.bytes, 60000U);
  EXPECT_EQ(statistics.hits, 1U);
  EXPECT_EQ(statistics.misses, 1U);
  EXPECT_EQ(statistics.stores, 1U);
}

TEST_F(CompileCacheTest, KeepsErrorsOfTheProgramButNotOfTheMachine) {
  cache_.store(key_of(1), failure_of(model::Status::kCompileFailed, "k.cu(3): error"));
  cache_.store(key_of(2), failure_of(model::Status::kTimedOut, "too long"));
  cache_.store(key_of(3), failure_of(model::Status::kWorkerDied, "gone"));
  cache_.store(key_of(4), base::failure(out_of_memory(1ULL << 30)));
  const auto found = cache_.find(key_of(1));
  ASSERT_TRUE(found.has_value());
  ASSERT_FALSE(found->has_value());
  EXPECT_EQ(found->error().status, model::Status::kCompileFailed);
  EXPECT_EQ(found->error().reason, "k.cu(3): error");
  for (const int number : {2, 3, 4}) EXPECT_FALSE(cache_.find(key_of(number)).has_value()) << number;
}

TEST_F(CompileCacheTest, WhatWasWrittenWithoutItsSecretCountsAsMissing) {
  const std::string key = key_of(1);
  cache_.store(key, kernel_of("right"));
  const fs::path place = place_of(key);
  {
    CompileCache other(folder_.path() / "other");
    other.store(key, kernel_of("wrong"));
    fs::copy_file(folder_.path() / "other" / key.substr(0, 1) / place.filename(), place,
                  fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(cache_.find(key).has_value());
  // An entry of an earlier version is not accepted either if it is newer than the secret.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // File times have a limited resolution.
  std::ofstream(place, std::ios::binary) << earlier_form(key);
  EXPECT_FALSE(CompileCache(cache_.folder()).find(key).has_value());
  cache_.store(key, kernel_of("right"));
  EXPECT_EQ((*cache_.find(key))->cubin, "right");
}

TEST_F(CompileCacheTest, ASecretThatOthersMayReadIsReplacedAndItsEntriesCountNoMore) {
  cache_.store(key_of(1), kernel_of("one"));
  const fs::path secret = cache_.folder() / "key";
  const std::string before = bytes_of(secret);
  EXPECT_EQ(before.size(), 32U);
  fs::permissions(secret, fs::perms::group_read, fs::perm_options::add);
  CompileCache later(cache_.folder());
  EXPECT_FALSE(later.find(key_of(1)).has_value());
  later.store(key_of(1), kernel_of("one"));
  EXPECT_TRUE(later.find(key_of(1)).has_value());
  EXPECT_NE(bytes_of(secret), before);
}

TEST_F(CompileCacheTest, AnEntryThatIsNoPlainFileOfOursOrTooLongIsMissingAndWaitedForByNobody) {
  const std::string key = key_of(1);
  cache_.store(key, kernel_of("one"));
  const fs::path place = place_of(key);
  const std::string good = bytes_of(place);
  const fs::path elsewhere = folder_.write("elsewhere", good);
  fs::remove(place);
  fs::create_symlink(elsewhere, place);
  EXPECT_FALSE(cache_.find(key).has_value()) << "a link";
  fs::remove(place);
  ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
  EXPECT_FALSE(cache_.find(key).has_value()) << "a pipe";
  fs::remove(place);
  std::ofstream(place, std::ios::binary) << good;
  fs::resize_file(place, 1ULL << 40);
  EXPECT_FALSE(cache_.find(key).has_value()) << "a terabyte of nothing";
  fs::resize_file(place, good.size());
  EXPECT_TRUE(cache_.find(key).has_value());
  if (::geteuid() == 0 && ::chown(place.c_str(), 1234, 1234) == 0) {
    EXPECT_FALSE(cache_.find(key).has_value()) << "another user's";
  }
  cache_.store(key, kernel_of("two"));
  EXPECT_EQ((*cache_.find(key))->cubin, "two");
  EXPECT_EQ(bytes_of(elsewhere), good) << "what the link led to stays";
}

TEST_F(CompileCacheTest, FoldersAndFilesAreTheUsersAloneWhateverTheUmask) {
  const mode_t before = ::umask(0);
  cache_.store(key_of(1), kernel_of("one"));
  ::umask(before);
  const auto mode = [](const fs::path& path) {
    return static_cast<unsigned>(fs::status(path).permissions());
  };
  for (const fs::path& folder : {cache_.folder(), place_of(key_of(1)).parent_path()})
    EXPECT_EQ(mode(folder), 0700U);
  for (const fs::path& file : {cache_.folder() / "key", place_of(key_of(1))}) EXPECT_EQ(mode(file), 0600U);
}

// A kernel may print any text with `#error`.
TEST_F(CompileCacheTest, TellsTheProgramFromTheMachineByTheCauseAndNotByTheText) {
  const std::vector<std::string> texts = {"the compiler needs more than 1024 MiB", "cannot link: no library",
                                          "NVRTC_ERROR_INTERNAL_ERROR"};
  int number = 0;
  for (const std::string& text : texts) {
    for (const model::RejectionCause cause : model::all_rejection_causes()) {
      const std::string key = key_of(++number);
      cache_.store(key, base::failure(model::Rejection{model::Status::kCompileFailed, text, cause}));
      EXPECT_EQ(cache_.find(key).has_value(), cause == model::RejectionCause::kCandidate)
          << text << ", " << model::to_string(cause);
    }
  }
}

TEST_F(CompileCacheTest, ReadsARejectionOfAnEarlierVersionAndKeepsItWithAKeyedDigest) {
  const std::string key = key_of(1);
  const fs::path place = folder_.write("earlier/" + key.substr(0, 1) + "/" + key + ".bin", earlier_form(key));
  CompileCache cache(place.parent_path().parent_path());
  ASSERT_TRUE(cache.find(key).has_value());
  EXPECT_THAT(bytes_of(place), ::testing::StartsWith("wtkeyed"));
  const auto found = cache.find(key);
  ASSERT_TRUE(found.has_value());
  ASSERT_FALSE(found->has_value());
  EXPECT_EQ(found->error().status, model::Status::kCompileFailed);
  EXPECT_EQ(found->error().reason, "no!");
  EXPECT_EQ(found->error().cause, model::RejectionCause::kCandidate);
}

TEST_F(CompileCacheTest, KeepsNothingUnderAnEmptyKey) {
  cache_.store("", kernel_of("x"));
  EXPECT_FALSE(cache_.find("").has_value());
  EXPECT_EQ(cache_.statistics().entries, 0U);
}

TEST_F(CompileCacheTest, TakesAFileThatIsCutOrDamagedForMissingAndReplacesIt) {
  cache_.store(key_of(1), kernel_of("a cubin of some length"));
  const fs::path file = place_of(key_of(1));
  const std::uintmax_t size = fs::file_size(file);
  const std::string good = bytes_of(file);
  for (std::uintmax_t length = 0; length < size; ++length) {
    std::ofstream(file, std::ios::binary) << good.substr(0, length);
    EXPECT_FALSE(cache_.find(key_of(1)).has_value()) << length;
  }
  for (std::uintmax_t at = 0; at < size; at += 7) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_FALSE(cache_.find(key_of(1)).has_value()) << at;
  }
  cache_.store(key_of(1), kernel_of("a cubin of some length"));
  EXPECT_TRUE(cache_.find(key_of(1)).has_value());
}

TEST_F(CompileCacheTest, DoesNotTakeAFileOfAnotherKey) {
  cache_.store(key_of(1), kernel_of("one"));
  cache_.store(key_of(2), kernel_of("two"));
  fs::copy_file(place_of(key_of(1)), place_of(key_of(2)), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache_.find(key_of(2)).has_value());
}

TEST_F(CompileCacheTest, StaysNearItsBoundAndKeepsWhatIsUsed) {
  CompileCache small(folder_.path(), 1 << 20);
  small.store(key_of(0), kernel_of(std::string(2000, 'k')));
  for (int i = 1; i < 2000; ++i) {
    small.store(key_of(i), kernel_of(std::string(2000, 'x')));
    if (i % 20 == 0) {
      EXPECT_TRUE(small.find(key_of(0)).has_value()) << i;
    }
  }
  const CacheStatistics statistics = small.statistics();
  EXPECT_LT(statistics.bytes, (1U << 20) * 5 / 4);
  EXPECT_GT(statistics.bytes, (1U << 20) * 3 / 4);
  EXPECT_FALSE(small.find(key_of(1)).has_value()) << "the oldest go first";
}

TEST_F(CompileCacheTest, IsEmptyAfterClear) {
  for (int i = 0; i < 40; ++i) cache_.store(key_of(i), kernel_of("x"));
  EXPECT_EQ(cache_.statistics().entries, 40U);
  cache_.clear();
  EXPECT_EQ(cache_.statistics().entries, 0U);
  EXPECT_FALSE(cache_.find(key_of(3)).has_value());
}

TEST_F(CompileCacheTest, DoesNothingWhereItsFolderCannotBe) {
  const fs::path file = folder_.write("file", "not a folder");
  CompileCache nowhere(file / "below");
  EXPECT_THAT(nowhere.problem(), HasSubstr(file.string()));
  nowhere.store(key_of(1), kernel_of("x"));
  EXPECT_FALSE(nowhere.find(key_of(1)).has_value());
  EXPECT_EQ(nowhere.statistics().entries, 0U);
  EXPECT_EQ(cache_.problem(), "");
}

TEST_F(CompileCacheTest, IsSafeWithManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      CompileCache mine(folder_.path(), 1 << 18);
      bool right = true;
      for (int turn = 0; turn < 300; ++turn) {
        const int number = (turn * 7 + child) % 50;
        const std::string content(1000 + static_cast<std::size_t>(number) * 100, 'c');
        if (const auto found = mine.find(key_of(number))) right = right && (*found)->cubin == content;
        mine.store(key_of(number), kernel_of(content));
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

// Restores an environment variable at the end of its life.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~ScopedEnvironment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DefaultCompileCache, FollowsTheDesktopsConvention) {
  const ScopedEnvironment home("HOME", "/somewhere");
  {
    const ScopedEnvironment cache("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(default_compile_cache(), "/caches/warptune/compiled");
  }
  const ScopedEnvironment cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(default_compile_cache(), "/somewhere/.cache/warptune/compiled");
  const ScopedEnvironment no_home("HOME", nullptr);
  EXPECT_EQ(default_compile_cache(), "");
}

class CompileKey : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  }
  CompileRequest request(const std::string& source) const {
    return {(folder_.path() / "k.cu").string(), source, {"f"}, {"-DA=1"}, "sm_90"};
  }
  TemporaryFolder folder_;
};

TEST_F(CompileKey, ChangesWithEveryPartOfTheRequest) {
  const CompileRequest base = request("int a;");
  EXPECT_EQ(compile_key(base), compile_key(base));
  EXPECT_EQ(compile_key(base).size(), 32U);
  std::vector<CompileRequest> others(7, base);
  others[0].source += ' ';
  others[1].entries = {"g"};
  others[2].entries.emplace_back("-DA=1");
  others[3].options = {"-DA=2"};
  others[4].options = {"-DA", "=1"};
  others[5].architecture = "sm_80";
  others[6].program_name += "x";
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_NE(compile_key(others[i]), compile_key(base)) << i;
}

TEST_F(CompileKey, ChangesWithTheEnvironmentThatNvrtcReads) {
  const std::string key = compile_key(request("int a;"));
  const ScopedEnvironment flags("NVRTC_APPEND_FLAGS", "-G");
  EXPECT_NE(compile_key(request("int a;")), key);
}

TEST_F(CompileKey, ChangesWithTheFilesThatAreIncluded) {
  folder_.write("a.cuh", "#include \"sub/b.cuh\"\n");
  folder_.write("sub/b.cuh", "// one\n");
  CompileRequest plain = request("#include \"a.cuh\"\n");
  const std::string key = compile_key(plain);
  EXPECT_EQ(compile_key_now(plain), key);
  folder_.write("sub/b.cuh", "// two, of another length\n");
  EXPECT_NE(compile_key_now(plain), key);
}

TEST_F(CompileKey, ChangesWhenAFileAppearsThatIsFoundFirst) {
  folder_.write("second/a.cuh", "// one\n");
  fs::create_directories(folder_.path() / "first");
  CompileRequest found = request("#include <a.cuh>\n#if __has_include(\"b.cuh\")\n#endif\n");
  found.options = {"-I" + (folder_.path() / "first").string(), "-I", (folder_.path() / "second").string()};
  const std::string key = compile_key_now(found);
  folder_.write("first/a.cuh", "// one\n");
  const std::string shadowed = compile_key_now(found);
  EXPECT_NE(shadowed, key);
  folder_.write("first/b.cuh", "");
  EXPECT_NE(compile_key_now(found), shadowed);
}

TEST_F(CompileKey, CoversFilesThatOptionsInclude) {
  folder_.write("pre.cuh", "// one\n");
  CompileRequest before = request("int a;");
  before.options = {"-I" + folder_.path().string(), "--pre-include=pre.cuh"};
  const std::string key = compile_key_now(before);
  folder_.write("pre.cuh", "// two, of another length\n");
  EXPECT_NE(compile_key_now(before), key);
}

TEST_F(CompileKey, IsEmptyWhenAMacroSaysWhatIsIncluded) {
  EXPECT_EQ(compile_key(request("#define FILE <a.cuh>\n#include FILE\n")), "");
}

}  // namespace
}  // namespace warptune::kernel_templates
