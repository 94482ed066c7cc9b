#include "db/claims/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "db/claims/process_identity.h"
#include "db/storage/sqlite.h"
#include "db/store.h"
#include "tests/db/test_data.h"

namespace warptune::db::claims {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// It looks at the database whenever it is asked to.
constexpr ClaimTimes kAtOnce{milliseconds(0), milliseconds(5000), milliseconds(60000), milliseconds(60000)};

ClaimScope scope() { return {testing::workload(), model::RowSource::kMeasured, "time"}; }

Claims::Configurations blocks(std::initializer_list<std::int64_t> numbers) {
  Claims::Configurations configurations;
  configurations.reserve(numbers.size());
  for (const std::int64_t number : numbers) configurations.push_back(testing::configuration(number));
  return configurations;
}

// A session with a connection of its own.
struct Claimer {
  explicit Claimer(const std::filesystem::path& path, const ClaimTimes& times = kAtOnce,
                   const ClaimScope& scope = claims::scope())
      : store(path),
        claims(
            store, scope, [this] { return running; }, times) {
    id = store.begin_session(testing::session());
    claims.set_session(id);
  }
  std::int64_t add(std::int64_t block) {
    return store.add_measurement(id, testing::measured(testing::configuration(block), 10.0));
  }
  void be_alone() {
    claims.enter();
    claims.promise_to_look();
    claims.look();
  }

  Store store;
  Claims::Configurations running;
  Claims claims;
  std::int64_t id = 0;
};

class ClaimsTest : public ::testing::Test {
 protected:
  std::int64_t count(const std::string& sql) const {
    return storage::Database(path_, storage::OpenMode::kReadOnly).integer(sql);
  }
  void run_sql(const char* sql) const {
    storage::Database(path_, storage::OpenMode::kReadWrite).execute(sql);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "w.db";
};

TEST_F(ClaimsTest, WhatOneSessionHasClaimedTheOtherDoesNotGet) {
  Claimer first(path_);
  Claimer second(path_);
  EXPECT_THAT(first.claims.claim(blocks({1, 2, 3})), ElementsAre(true, true, true));
  EXPECT_THAT(second.claims.claim(blocks({3, 4})), ElementsAre(false, true));
  EXPECT_TRUE(second.claims.is_claimed_by_other(testing::configuration(3)));
  EXPECT_FALSE(second.claims.is_claimed_by_other(testing::configuration(4)));
  EXPECT_THAT(first.claims.claim(blocks({1, 4})), ElementsAre(true, false));
}

TEST_F(ClaimsTest, WhatOneSessionHasEvaluatedTheOtherGetsAsARow) {
  Claimer first(path_);
  Claimer second(path_);
  first.claims.claim(blocks({1}));
  second.claims.claim(blocks({2}));
  {
    Store::Batch batch(first.store);
    first.add(1);
    first.claims.release(testing::configuration(1));
    batch.commit();
  }
  EXPECT_THAT(second.claims.claim(blocks({1})), ElementsAre(false));
  const std::vector<StoredMeasurement> rows = second.claims.take_rows();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].session_id, first.id);
  EXPECT_EQ(rows[0].measurement.configuration, testing::configuration(1));
  EXPECT_THAT(second.claims.take_rows(), IsEmpty());
  second.add(2);
  EXPECT_THAT(second.claims.take_rows(), IsEmpty()) << "its own row is not new to it";
}

TEST_F(ClaimsTest, RowsHaveTheirCountersWhereTheObjectiveNeedsThem) {
  ClaimScope counted = scope();
  counted.counters = true;
  Claimer first(path_);
  Claimer second(path_);
  Claimer third(path_, kAtOnce, counted);
  second.claims.enter();
  third.claims.enter();
  first.add(1);
  EXPECT_THAT(second.claims.take_rows().at(0).measurement.counters, IsEmpty());
  EXPECT_THAT(third.claims.take_rows().at(0).measurement.counters, SizeIs(2));
}

TEST_F(ClaimsTest, ClaimsEndWithTheirSession) {
  Claimer second(path_);
  {
    Claimer first(path_);
    first.claims.claim(blocks({1}));
    EXPECT_THAT(second.claims.claim(blocks({1})), ElementsAre(false));
  }
  EXPECT_THAT(second.claims.claim(blocks({1})), ElementsAre(true));
  second.claims.leave();
  EXPECT_EQ(count("SELECT (SELECT count(*) FROM claim) + (SELECT count(*) FROM claimant)"), 0);
}

TEST_F(ClaimsTest, SessionsThatCannotUseEachOthersRowsDoNotShare) {
  Claimer first(path_);
  first.claims.claim(blocks({1}));
  ClaimScope other_objective = scope();
  other_objective.objective = "energy_j";
  ClaimScope replayed = scope();
  replayed.source = model::RowSource::kReplayed;
  ClaimScope other_size = scope();
  other_size.workload.problem = {{"N", std::int64_t{1}}};
  for (const ClaimScope& other : {other_objective, replayed, other_size}) {
    Claimer second(path_, kAtOnce, other);
    EXPECT_THAT(second.claims.claim(blocks({1})), ElementsAre(true));
  }
}

TEST_F(ClaimsTest, ASessionThatIsAloneWritesNoClaims) {
  Claimer first(path_);
  first.claims.claim(blocks({1}));
  EXPECT_FALSE(first.claims.is_alone()) << "nobody answers another session before it promises to look";
  EXPECT_EQ(count("SELECT count(*) FROM claim"), 1);
  first.be_alone();
  EXPECT_TRUE(first.claims.is_alone());
  first.claims.claim(blocks({2}));
  EXPECT_EQ(count("SELECT count(*) FROM claim"), 0);
}

TEST_F(ClaimsTest, ASessionThatIsAlonePublishesItsClaimsWhenAnotherEnters) {
  Claimer first(path_);
  first.be_alone();
  first.running = blocks({1, 2});
  Claimer second(path_);
  second.claims.enter();
  EXPECT_TRUE(second.claims.must_wait());
  EXPECT_TRUE(first.claims.look());
  EXPECT_FALSE(first.claims.is_alone());
  EXPECT_TRUE(second.claims.look());
  EXPECT_FALSE(second.claims.must_wait());
  EXPECT_THAT(second.claims.claim(blocks({2, 3})), ElementsAre(false, true));
  second.claims.leave();
  EXPECT_TRUE(first.claims.look());
  EXPECT_TRUE(first.claims.is_alone());
}

TEST_F(ClaimsTest, ASessionThatDoesNotAnswerIsNotAwaitedForLong) {
  Claimer first(path_);
  first.be_alone();
  ClaimTimes impatient = kAtOnce;
  impatient.answer = milliseconds(0);
  Claimer second(path_, impatient);
  second.claims.enter();
  EXPECT_FALSE(second.claims.must_wait());
}

TEST_F(ClaimsTest, ClaimsOfAKilledProcessEndAtOnce) {
  { const Store made(path_); }  // SQLite forbids that a process is forked while it uses the file.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Claimer first(path_);
    first.claims.claim(blocks({1, 2}));
    if (::write(ends[1], "c", 1) == 1) ::pause();
    ::_exit(0);
  }
  char claimed = 0;
  ASSERT_EQ(::read(ends[0], &claimed, 1), 1);
  Claimer second(path_);
  EXPECT_THAT(second.claims.claim(blocks({1, 3})), ElementsAre(false, true));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(second.claims.look());
  EXPECT_THAT(second.claims.claim(blocks({1, 2})), ElementsAre(true, true));
  ::close(ends[0]);
  ::close(ends[1]);
}

// Its session waits for something else for a minute or longer, for example for the set-up of GPUs.
TEST_F(ClaimsTest, AnEntryIsRenewedWhileItsSessionDoesNothing) {
  ClaimTimes frequent = kAtOnce;
  frequent.renewal = milliseconds(5);
  Claimer first(path_, frequent);
  first.claims.claim(blocks({1}));
  const auto renewals = [&] { return count("SELECT renewals FROM claimant"); };
  const std::int64_t before = renewals();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (renewals() < before + 3 && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_GE(renewals(), before + 3);
}

TEST_F(ClaimsTest, ASessionThatIsAlonePublishesItsClaimsBeforeItStopsToLook) {
  Claimer first(path_);
  first.be_alone();
  first.running = blocks({1});
  first.claims.stop_looking();
  Claimer second(path_);
  second.claims.enter();
  EXPECT_FALSE(second.claims.must_wait());
  EXPECT_THAT(second.claims.claim(blocks({1, 2})), ElementsAre(false, true));
}

TEST_F(ClaimsTest, ANewSessionRemovesClaimsOfEndedProcessesOfOtherWorkloads) {
  Claimer first(path_);
  first.claims.claim(blocks({1, 2}));
  Claimer living(path_);
  living.claims.claim(blocks({3}));
  const std::string ended = process_identity() + "0";  // It began at another time.
  run_sql(("UPDATE claimant SET process = '" + ended +
           "' WHERE id = (SELECT claimant_id FROM claim GROUP BY 1 HAVING count(*) = 2)")
              .c_str());
  ClaimScope other = scope();
  other.workload.problem = {{"N", std::int64_t{1}}};
  Claimer second(path_, kAtOnce, other);
  second.claims.enter();
  EXPECT_EQ(count("SELECT count(*) FROM claim"), 1) << "those of the living process stay";
  EXPECT_EQ(count("SELECT count(*) FROM claimant"), 2);
}

// A process of another machine, or of another container, cannot be asked for.
TEST_F(ClaimsTest, ClaimsOfASilentProcessEndAndItMayComeBack) {
  Claimer first(path_);
  first.claims.claim(blocks({1, 2}));
  first.running = blocks({1, 2});
  run_sql("UPDATE claimant SET process = 'of another system'");
  Claimer patient(path_);
  patient.claims.enter();
  patient.claims.look();
  EXPECT_THAT(patient.claims.claim(blocks({1})), ElementsAre(false));
  ClaimTimes impatient = kAtOnce;
  impatient.silence = milliseconds(0);
  Claimer second(path_, impatient);
  EXPECT_THAT(second.claims.claim(blocks({1})), ElementsAre(true));
  EXPECT_THAT(first.claims.claim(blocks({1, 4})), ElementsAre(false, true));
  EXPECT_THAT(patient.claims.claim(blocks({2})), ElementsAre(false))
      << "it has claimed again what it evaluates";
}

TEST_F(ClaimsTest, ABackupAndAMergeTakeNoClaims) {
  Claimer first(path_);
  first.claims.claim(blocks({1}));
  first.add(1);
  first.store.back_up(folder_ / "copy.db");
  EXPECT_THAT(Store(folder_ / "copy.db").damage(), IsEmpty());
  EXPECT_EQ(storage::Database(folder_ / "copy.db", storage::OpenMode::kReadOnly)
                .integer("SELECT (SELECT count(*) FROM claim) + (SELECT count(*) FROM claimant)"),
            0);
  Store(folder_ / "merged.db").merge(path_);
  EXPECT_EQ(storage::Database(folder_ / "merged.db", storage::OpenMode::kReadOnly)
                .integer("SELECT count(*) FROM claimant"),
            0);
  EXPECT_EQ(count("SELECT count(*) FROM claim"), 1) << "the session still has its claim";
  EXPECT_THAT(first.store.damage(), IsEmpty());
}

}  // namespace
}  // namespace warptune::db::claims
