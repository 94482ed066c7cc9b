// Spools with files that are damaged, foreign or missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"
#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::fleet::spool {
namespace {

using testing::campaign_of;
using testing::class_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kNodeA;
using testing::kNodeB;
using testing::kNodeC;
using testing::node_of;
using ::testing::SizeIs;

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::error_code ignored;  // Batches cannot be written.
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add, ignored);
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Error>
std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class DamagedSpool : public ::testing::Test {
 protected:
  DamagedSpool() {
    store_->add_campaign(campaign_of("one", {class_of("sgemm")}, 2));
    store_->enter_node(node_of(kNodeA));
  }
  fs::path path() const { return spool_.path(); }
  fs::path campaign() const { return path() / "campaigns" / "one"; }

  SpoolUnderTest spool_;
  std::unique_ptr<FleetStore> store_ = spool_.connect(Access::kAdministrator);
};

TEST_F(DamagedSpool, ForeignFilesAreLeftOut) {
  for (const char* place :
       {"campaigns/notes.txt", "campaigns/one/open/0/notes.txt", "campaigns/one/open/0/9.1.0",
        "campaigns/one/leased/0.1.0", "campaigns/one/closed/0.1.0.closed.0",
        "campaigns/one/closed/0.1.0.open.0", "campaigns/one/attempts/x.1", "nodes/x.json"})
    write(path() / place, "foreign");
  fs::create_directory(path() / "campaigns" / "empty");
  fs::create_directories(path() / "campaigns" / "one" / "rows" / "0");
  write(campaign() / "rows" / "0" / "1.x", "foreign");
  EXPECT_THAT(store_->campaigns(), SizeIs(1));
  EXPECT_THAT(store_->nodes(), SizeIs(1));
  EXPECT_EQ(store_->open_classes().at(0).open, 2U);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(store_->finish(kNodeA, store_->lease(kNodeA, {{"one", 0}})->key, {}));
  EXPECT_FALSE(store_->lease(kNodeA, {{"one", 0}}));
  EXPECT_THAT(store_->batches({"one", 0}, "").batches, IsEmpty());
  EXPECT_TRUE(fs::exists(path() / "campaigns" / "notes.txt"));
}

TEST_F(DamagedSpool, LinksAreNotFollowed) {
  SpoolUnderTest other;
  other.connect(Access::kAdministrator)->add_campaign(campaign_of("other", {class_of("scan")}, 1));
  fs::create_directory_symlink(other.path() / "campaigns" / "other", path() / "campaigns" / "other");
  EXPECT_THAT(store_->campaigns(), SizeIs(1));
  EXPECT_THROW(store_->campaign("other"), base::InputError);
  const std::string digest = store_->put_file("bundle");
  fs::rename(path() / "files" / digest, other.path() / "moved");
  fs::create_symlink(other.path() / "moved", path() / "files" / digest);
  EXPECT_EQ(store_->file(digest), std::nullopt);
}

TEST_F(DamagedSpool, ADamagedCampaignDoesNotHideOthers) {
  store_->add_campaign(campaign_of("two", {class_of("scan")}, 1));
  std::string text = read(campaign() / "campaign.json");
  text.replace(text.find("sgemm"), 5, "spmmv");
  write(campaign() / "campaign.json", text);
  const auto fresh = spool_.connect(Access::kAdministrator);
  EXPECT_THAT(fresh->campaigns(), SizeIs(1));
  EXPECT_THAT(message_of<base::InputError>([&] { fresh->campaign("one"); }),
              HasSubstr("campaign.json: this folder holds no campaign, or a damaged one"));
  EXPECT_TRUE(fresh->lease(kNodeA, {{"two", 0}}));
}

TEST_F(DamagedSpool, ACampaignWithATaskOfNoClassIsRefused) {
  Campaign wrong = campaign_of("wrong", {class_of("sgemm")}, 1);
  EXPECT_NO_THROW(store_->add_campaign(wrong));
  const fs::path file = path() / "campaigns" / "wrong" / "campaign.json";
  std::string text = read(file);
  const std::string digest = wrong.digest();
  wrong.tasks.front().class_index = 5;
  text.replace(text.find(digest), digest.size(), wrong.digest());
  const std::string before = "\"class\":0";
  ASSERT_NE(text.find(before), std::string::npos);
  text.replace(text.find(before), before.size(), "\"class\":5");
  write(file, text);
  const auto fresh = spool_.connect(Access::kReader);
  EXPECT_THAT(message_of<base::InputError>([&] { fresh->campaign("wrong"); }), HasSubstr("has the class 5"));
  EXPECT_THAT(fresh->campaigns(), SizeIs(1)) << "it does not hide others";
}

TEST_F(DamagedSpool, ADamagedBatchIsSaid) {
  const BatchName name{store_->lease(kNodeA, {{"one", 0}})->key, kNodeA, 0};
  const BatchName intact{name.lease, kNodeA, 1};
  store_->publish(name, "rows");
  store_->publish(intact, "more rows");
  const fs::path file = campaign() / "rows" / std::to_string(name.lease.task) / ("1." + kNodeA + ".0");
  write(file, read(file) + "!");
  EXPECT_THAT(message_of<base::InputError>([&] { store_->batch(name); }), HasSubstr("this batch is damaged"));
  write(file, "");
  EXPECT_THAT(message_of<base::InputError>([&] { store_->batch(name); }), HasSubstr("this batch is damaged"));
  EXPECT_THAT(store_->batches({}, "").batches, ElementsAre(intact));
}

TEST_F(DamagedSpool, ADoneTaskWithADamagedBatchIsMeasuredAgainAfterARetry) {
  for (int task = 0; task < 2; ++task) {
    const LeaseKey key = store_->lease(kNodeA, {{"one", 0}})->key;
    store_->publish({key, kNodeA, 0}, "rows");
    ASSERT_TRUE(store_->finish(kNodeA, key, {}));
  }
  EXPECT_EQ(store_->retry("one"), 0U) << "nothing is damaged";
  const fs::path file = campaign() / "rows" / "1" / ("1." + kNodeA + ".0");
  const fs::perms mode = fs::status(file).permissions();
  write(file, read(file) + "!");
  fs::permissions(file, mode);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(store_->retry("one"), 1U);
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      HasSubstr("task 1 of one was done, and is open again: " + file.string() + ": this batch is damaged"));
  EXPECT_EQ(store_->tasks("one").at(0).state, TaskState::kDone);
  EXPECT_EQ(store_->tasks("one").at(1).state, TaskState::kOpen);
  const LeaseKey again = store_->lease(kNodeB, {{"one", 0}})->key;
  EXPECT_EQ(again.task, 1U);
  EXPECT_EQ(again.fence, 2U);
  store_->publish({again, kNodeB, 0}, "rows");
  EXPECT_TRUE(store_->finish(kNodeB, again, {}));
  EXPECT_EQ(store_->retry("one"), 0U) << "the rows were measured again";
}

TEST_F(DamagedSpool, ADamagedFileIsSaidOnceAndInPlainWords) {
  write(campaign() / "campaign.json", "{\"digest\": 5");
  ::testing::internal::CaptureStderr();
  const auto fresh = spool_.connect(Access::kReader);
  EXPECT_THAT(fresh->campaigns(), IsEmpty());
  EXPECT_THAT(fresh->open_classes(), IsEmpty());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("campaign.json: this folder holds no campaign, or a damaged one: parse error at "
                             "line 1, column "));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_THAT(log, ::testing::Not(HasSubstr("json.exception")));
}

// The log of a backup is shorter, and goes on with other batches.
TEST_F(DamagedSpool, AReaderOfARestoredSpoolMissesNothing) {
  const auto node = spool_.connect(Access::kNode);
  const LeaseKey key = node->lease(kNodeA, {{"one", 0}})->key;
  node->publish({key, kNodeA, 0}, "first");
  fs::copy(path(), path().string() + "-backup", fs::copy_options::recursive);
  node->publish({key, kNodeA, 1}, "second");
  node->publish({key, kNodeA, 2}, "third");
  const std::string cursor = store_->batches({}, "").cursor;
  EXPECT_THAT(store_->batches({}, cursor).batches, IsEmpty());
  fs::remove_all(path());
  fs::rename(path().string() + "-backup", path());
  const LeaseKey later = spool_.connect(Access::kNode)->lease(kNodeB, {{"one", 0}})->key;
  for (std::uint64_t sequence = 0; sequence < 2; ++sequence) {
    const BatchName batch{later, kNodeB, sequence};
    spool_.connect(Access::kNode)->publish(batch, "later rows " + std::to_string(sequence));
    const auto reader = spool_.connect(Access::kReader);
    EXPECT_THAT(reader->batches({}, cursor).batches, ::testing::Contains(batch));
  }
}

TEST_F(DamagedSpool, ADamagedFileIsSaidAndReplaced) {
  const std::string digest = store_->put_file("bundle");
  write(path() / "files" / digest, "bumble");
  EXPECT_THAT(message_of<base::InputError>([&] { store_->file(digest); }),
              HasSubstr("its content does not fit its name"));
  EXPECT_EQ(store_->put_file("bundle"), digest);
  EXPECT_EQ(store_->file(digest), "bundle");
}

TEST_F(DamagedSpool, AFileThatIsTooLargeIsDamaged) {
  const std::string digest(32, '0');
  std::ofstream(path() / "files" / digest).seekp(kMaxFileBytes) << "xx";
  EXPECT_THAT(message_of<base::InputError>([&] { store_->file(digest); }),
              HasSubstr("its content does not fit its name"));
}

TEST_F(DamagedSpool, ADamagedRecordIsThatOfALostAttempt) {
  const LeaseKey key = store_->lease(kNodeA, {{"one", 0}})->key;
  store_->give_back(kNodeA, key, AttemptEnd::kGivenBack, "stopped");
  write(campaign() / "attempts" / (std::to_string(key.task) + ".1"), "{");
  const TaskRecord task = spool_.connect(Access::kReader)->tasks("one").at(key.task);
  EXPECT_EQ(task.state, TaskState::kOpen);
  ASSERT_THAT(task.attempts, SizeIs(1));
  EXPECT_EQ(task.attempts[0].end, AttemptEnd::kLost);
  EXPECT_EQ(task.attempts[0].reason, "the record of this attempt is damaged");
}

TEST_F(DamagedSpool, ATaskWhoseFileIsMissingIsQuarantinedUntilARetry) {
  fs::remove(campaign() / "open" / "0" / "1.1.0");
  EXPECT_EQ(store_->tasks("one").at(1).state, TaskState::kQuarantined);
  EXPECT_EQ(store_->retry("one"), 1U);
  EXPECT_EQ(store_->tasks("one").at(1).state, TaskState::kOpen);
  std::set<std::uint64_t> tasks;
  while (const auto lease = store_->lease(kNodeA, {{"one", 0}})) tasks.insert(lease->key.task);
  EXPECT_THAT(tasks, ElementsAre(0, 1));
}

TEST_F(DamagedSpool, NodesSeeTheTasksOfARetryThatWasInterrupted) {
  store_->cancel("one");
  write(campaign() / "eras" / "2", "retried\n");  // Its process was killed before it renamed any file.
  const auto node = spool_.connect(Access::kNode);
  ASSERT_THAT(node->open_classes(), SizeIs(1));
  EXPECT_EQ(node->open_classes()[0].open, 2U);
  EXPECT_TRUE(node->lease(kNodeA, {{"one", 0}}));
}

TEST_F(DamagedSpool, ASpoolThatIsAwayIsUsedAgainWhenItIsBack) {
  const LeaseKey key = store_->lease(kNodeA, {{"one", 0}})->key;
  fs::rename(path(), path().string() + ".away");
  const std::string expected = "spool:" + path().string() + " cannot be reached: the folder is missing";
  EXPECT_THAT(message_of<base::MachineError>([&] {
                store_->publish({key, kNodeA, 0}, "rows");
              }),
              HasSubstr(expected));
  fs::create_directory(path());  // The place where a file system is mounted.
  EXPECT_THAT(message_of<base::MachineError>([&] { store_->finish(kNodeA, key, {}); }),
              HasSubstr("check that its file system is mounted"));
  EXPECT_TRUE(fs::is_empty(path()));
  fs::remove(path());
  fs::rename(path().string() + ".away", path());
  store_->publish({key, kNodeA, 0}, "rows");
  EXPECT_TRUE(store_->finish(kNodeA, key, {}));
}

TEST_F(DamagedSpool, ACampaignThatWasRemovedIsGone) {
  const LeaseKey key = store_->lease(kNodeA, {{"one", 0}})->key;
  fs::remove_all(campaign());
  EXPECT_THAT(store_->campaigns(), IsEmpty());
  EXPECT_THAT(store_->heartbeat(kNodeA, {key}), ElementsAre(LeaseState::kLost));
  EXPECT_THROW(store_->finish(kNodeA, key, {}), base::InputError);
  store_->add_campaign(campaign_of("one", {class_of("scan")}, 1));
  EXPECT_EQ(store_->lease(kNodeA, {{"one", 0}})->task_class.kernel, "scan");
}

}  // namespace
}  // namespace warptune::fleet::spool
