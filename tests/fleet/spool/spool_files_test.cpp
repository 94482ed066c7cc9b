#include "fleet/spool/spool_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::fleet::spool {
namespace {

using testing::campaign_of;
using testing::class_of;
using testing::kNodeA;
using testing::node_of;

namespace fs = std::filesystem;

// The names of all files with their times and sizes.
std::map<std::string, std::string> state_of(const fs::path& folder) {
  std::map<std::string, std::string> state;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat found {};
    ::lstat(entry.path().c_str(), &found);
    state[entry.path().string()] = std::to_string(found.st_mtim.tv_sec) + "." +
                                   std::to_string(found.st_mtim.tv_nsec) + " " +
                                   std::to_string(found.st_size);
  }
  return state;
}

TEST(SpoolFilesTest, AReaderWritesNothing) {
  SpoolUnderTest spool;
  const auto store = spool.connect(Access::kAdministrator);
  store->add_campaign(campaign_of("one", {class_of("sgemm")}, 3));
  store->enter_node(node_of(kNodeA));
  store->publish({store->lease(kNodeA, {{"one", 0}})->key, kNodeA, 0}, "rows");
  spool.age_leases(kLeaseMs + 1'000);
  const auto before = state_of(spool.path());
  const auto reader = spool.connect(Access::kReader);
  EXPECT_EQ(reader->campaigns().at(0).tasks.at(TaskState::kLeased), 1U);
  EXPECT_EQ(reader->tasks("one").size(), 3U);
  EXPECT_EQ(reader->nodes().size(), 1U);
  EXPECT_EQ(reader->open_classes().size(), 1U);
  EXPECT_EQ(reader->batch(reader->batches({}, "").batches.at(0)), "rows");
  EXPECT_LE(std::abs(reader->now_ms() - store->now_ms()), 60'000);
  store->now_ms();
  auto after = state_of(spool.path());
  EXPECT_NE(after, before) << "this test sees no changes";
  after[(spool.path() / "clock").string()] = before.at((spool.path() / "clock").string());
  EXPECT_EQ(after, before);
}

TEST(SpoolFilesTest, TheClockIsThatOfTheFileSystem) {
  SpoolUnderTest spool;
  const Folder folder = *Folder::open(spool.path());
  // A clock that was ahead, as that of a file server may be, is not kept: the file system says what time it
  // is.
  const timespec ahead[2] = {{0, UTIME_OMIT}, {4'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (spool.path() / "clock").c_str(), ahead, 0), 0);
  EXPECT_EQ(newest_time(folder), 4'000'000'000'000);
  const std::int64_t now = written_clock(folder);
  EXPECT_LT(now, 4'000'000'000'000);
  struct stat found {};
  ASSERT_EQ(::stat((spool.path() / "clock").c_str(), &found), 0);
  EXPECT_EQ(now, found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1'000'000);
}

TEST(SpoolFilesTest, ASpoolIsPrivateUnlessOthersMayWrite) {
  SpoolUnderTest spool;
  const auto store = spool.connect(Access::kNode);
  EXPECT_TRUE(store->is_private());
  fs::permissions(spool.path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(store->is_private());
  fs::permissions(spool.path(), fs::perms::owner_all);
  fs::permissions(spool.path() / "files", fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(store->is_private());
}

TEST(SpoolFilesTest, ASpoolIsNotPrivateIfOthersCanPutAnotherInItsPlace) {
  const tests::TemporaryFolder folder;
  fs::create_directories(folder / "shared/own");
  make_spool(folder / "shared/own/spool");
  const auto is_private = [](const fs::path& path) { return is_private_spool(*Folder::open(path)); };
  EXPECT_TRUE(is_private(folder / "shared/own/spool"));
  EXPECT_TRUE(is_private((folder / "shared/own/spool").string() + "/"));
  fs::permissions(folder / "shared", fs::perms::all);
  EXPECT_FALSE(is_private(folder / "shared/own/spool"));
  fs::permissions(folder / "shared", fs::perms::all | fs::perms::sticky_bit);
  EXPECT_TRUE(is_private(folder / "shared/own/spool"));
  // A link is as private as the place where it is, and as the place to which it leads.
  fs::create_directories(folder / "links");
  fs::create_directory_symlink(folder / "shared/own", folder / "links/own");
  EXPECT_TRUE(is_private(folder / "links/own/spool"));
  fs::permissions(folder / "links", fs::perms::all);
  EXPECT_FALSE(is_private(folder / "links/own/spool"));
  fs::permissions(folder / "links", fs::perms::owner_all);
  fs::permissions(folder / "shared", fs::perms::group_all | fs::perms::owner_all);
  EXPECT_FALSE(is_private(folder / "links/own/spool"));
}

TEST(SpoolFilesTest, NewFilesHaveThePermissionsOfTheSpool) {
  SpoolUnderTest spool;
  const auto mode = [&](const fs::path& below) {
    struct stat found {};
    EXPECT_EQ(::stat((spool.path() / below).c_str(), &found), 0) << below;
    return found.st_mode & 07777U;
  };
  EXPECT_EQ(mode(""), 0700U);
  EXPECT_EQ(mode("VERSION"), 0600U);
  ::chmod(spool.path().c_str(), 02770);
  const auto store = spool.connect(Access::kAdministrator);
  store->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  store->enter_node(node_of(kNodeA));
  EXPECT_EQ(mode("campaigns/one/open/0"), 02770U);
  EXPECT_EQ(mode("campaigns/one/open/0/0.1.0"), 0660U);
  EXPECT_EQ(mode("campaigns/one/campaign.json"), 0660U);
  EXPECT_EQ(mode("nodes/" + kNodeA + ".json"), 0660U);
}

TEST(SpoolFilesTest, TheLogContinuesInFurtherFolders) {
  SpoolUnderTest spool;
  const auto store = spool.connect(Access::kAdministrator);
  store->add_campaign(campaign_of("one", {class_of("sgemm")}, 1));
  const LeaseKey key = store->lease(kNodeA, {{"one", 0}})->key;
  for (std::uint64_t i = 0; i < 1'000; ++i) store->publish({key, kNodeA, i}, "rows");
  const BatchList list = store->batches({}, "");
  EXPECT_EQ(list.batches.size(), 1'000U);
  EXPECT_TRUE(store->batches({}, list.cursor).batches.empty());
  const auto other = spool.connect(Access::kNode);  // It must find the end of the log first.
  for (std::uint64_t i = 1'000; i < 1'010; ++i) other->publish({key, kNodeA, i}, "rows");
  EXPECT_EQ(store->batches({}, list.cursor).batches.size(), 10U);
  EXPECT_EQ(other->batches({}, "").batches.size(), 1'010U);
}

// A copy that keeps hard links, times and permissions, and one that keeps nothing.
TEST(SpoolFilesTest, ACopyIsASpool) {
  for (const char* command : {"cp -a", "cp -r"}) {
    SpoolUnderTest spool;
    const auto store = spool.connect(Access::kAdministrator);
    store->add_campaign(campaign_of("one", {class_of("sgemm")}, 3));
    const LeaseKey done = store->lease(kNodeA, {{"one", 0}})->key;
    const LeaseKey running = store->lease(kNodeA, {{"one", 0}})->key;
    const BatchName batch{done, kNodeA, 0};
    store->publish(batch, "rows");
    store->finish(kNodeA, done, {});
    const std::string copy = spool.path().string() + "-copy";
    ASSERT_EQ(std::system(fmt::format("{} {} {}", command, spool.path().string(), copy).c_str()), 0);
    const auto copied = open_spool_store(copy, Access::kAdministrator);
    EXPECT_EQ(copied->campaigns().at(0).tasks, store->campaigns().at(0).tasks);
    EXPECT_EQ(copied->batches({}, "").batches, std::vector<BatchName>{batch});
    EXPECT_EQ(copied->batch(batch), "rows");
    copied->publish(batch, "other rows");
    EXPECT_EQ(copied->batch(batch), "rows");
    EXPECT_TRUE(copied->finish(kNodeA, running, {}));
    EXPECT_EQ(store->tasks("one").at(running.task).state, TaskState::kLeased)
        << "the copy is the spool itself";
  }
}

// Full disks
// ----------------------------------------------------------------------------------------------------

constexpr int kNoMount = 77;

// Gives the process file systems of its own, in which it may mount others.
bool may_mount() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  const bool is_root = user == 0;
  if (::unshare(is_root ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (!is_root) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// In a process of its own that may mount file systems: publishes until a small one is full, frees some space,
// and continues. Returns the exit code.
int fill_file_system(const fs::path& place) {
  if (!may_mount() || ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=512k") != 0) return kNoMount;
  std::ofstream(place / "filler") << std::string(150'000, 'f');
  const auto store = make_spool_store(place / "spool");
  store->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
  const LeaseKey key = store->lease(kNodeA, {{"one", 0}})->key;
  const std::string rows(20'000, 'r');
  std::uint64_t published = 0;
  std::string message;
  while (message.empty()) try {
      store->publish({key, kNodeA, published}, rows);
      ++published;
    } catch (const base::MachineError& error) {
      message = error.what();
    }
  EXPECT_THAT(message, ::testing::HasSubstr("No space left on device"));
  EXPECT_THAT(message, ::testing::HasSubstr("free some space on the file system of the spool"));
  EXPECT_GT(published, 5U);
  EXPECT_EQ(store->batches({}, "").batches.size(), published);
  fs::remove(place / "filler");
  store->publish({key, kNodeA, published}, rows);
  EXPECT_TRUE(store->finish(kNodeA, key, {}));
  for (const BatchName& name : store->batches({}, "").batches) EXPECT_EQ(store->batch(name), rows);
  EXPECT_EQ(store->batches({}, "").batches.size(), published + 1);
  for (const auto& entry : fs::recursive_directory_iterator(place))
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
  return ::testing::Test::HasFailure() ? 1 : 0;
}

// In a process of its own: a spool that is mounted for reading only. Returns the exit code.
int read_without_writing(const fs::path& place) {
  {
    const auto store = make_spool_store(place);
    store->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
    store->publish({store->lease(kNodeA, {{"one", 0}})->key, kNodeA, 0}, "rows");
  }
  if (!may_mount() || ::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      ::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
    return kNoMount;
  const auto reader = open_spool_store(place, Access::kReader);
  EXPECT_EQ(reader->campaigns().at(0).tasks.at(TaskState::kLeased), 1U);
  EXPECT_EQ(reader->batch(reader->batches({}, "").batches.at(0)), "rows");
  EXPECT_EQ(reader->tasks("one").size(), 2U);
  try {
    open_spool_store(place, Access::kAdministrator)->cancel("one");
    ADD_FAILURE() << "the campaign was cancelled";
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Read-only file system; only commands that read"));
  }
  return ::testing::Test::HasFailure() ? 1 : 0;
}

// Runs a part of a test in a process of its own. Returns its exit code.
int exit_code_of(const std::function<int()>& part) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      code = part();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SpoolFilesTest, AFullDiskIsSaidAndLosesNothing) {
  const tests::TemporaryFolder folder;
  const int code = exit_code_of([&] { return fill_file_system(folder.path()); });
  if (code == kNoMount) GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_EQ(code, 0);
}

TEST(SpoolFilesTest, WhatRootMakesBelongsToTheOwnerOfTheSpool) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files for others";
  constexpr uid_t kUser = 12345;
  const tests::TemporaryFolder folder;
  const std::filesystem::path spool = folder / "spool";
  make_spool_store(spool);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(spool))
    ASSERT_EQ(::lchown(entry.path().c_str(), kUser, kUser), 0);
  ASSERT_EQ(::lchown(spool.c_str(), kUser, kUser), 0);
  Node node;
  node.id = "one";
  open_spool_store(spool, Access::kNode)->enter_node(node);
  open_spool_store(spool, Access::kAdministrator)
      ->add_campaign(campaign_of("c", {testing::class_of("sgemm")}, 2));
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(spool)) {
    struct stat found {};
    ASSERT_EQ(::lstat(entry.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_uid, kUser) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 8U);
}

TEST(SpoolFilesTest, ANodeThatMayNotWriteIsToldSoAtOnce) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path spool = folder / "spool";
  make_spool_store(spool);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::permissions(spool / "nodes", std::filesystem::perms{0555});
  const int code = exit_code_of([&] {
    if (::geteuid() == 0 && ::setuid(12345) != 0) return 2;
    try {
      open_spool_store(spool, Access::kNode);
    } catch (const base::InputError& error) {
      return std::string(error.message()).find("may not write") == std::string::npos ? 3 : 0;
    }
    return 4;
  });
  EXPECT_EQ(code, 0);
}

TEST(SpoolFilesTest, ASpoolThatIsReadOnlyIsReadAndNotChanged) {
  const tests::TemporaryFolder folder;
  const int code = exit_code_of([&] { return read_without_writing(folder.path()); });
  if (code == kNoMount) GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace warptune::fleet::spool
