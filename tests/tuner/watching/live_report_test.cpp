#include "tuner/watching/live_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "tests/tuner/session_data.h"
#include "tests/tuner/watching/http_client.h"
#include "tuner/html_report/report_page.h"

namespace warptune::tuner::watching {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A session of the toy kernel whose rows a test stores one by one.
class LiveReportTest : public ::testing::Test {
 protected:
  LiveReportTest() { live_.emplace(WatchedTuning{kernel_.string(), {}, database_}, std::nullopt); }

  // Serves the report again, with this time after which a page counts as closed.
  void reopen(std::chrono::milliseconds page_timeout) {
    live_.emplace(WatchedTuning{kernel_.string(), {}, database_}, std::nullopt, page_timeout);
  }

  void begin_session() {
    store_.emplace(database_);
    db::Session session;
    session.workload = testing::toy_recording(kernel_).workload;
    session.started_ms = 1'000'000;
    session_ = store_->begin_session(session);
    live_->on_event(session::SessionBegan{session_, session.workload});
  }

  void store_row(std::int64_t a) {
    const model::Measurement row =
        testing::measured({{"A", a}, {"B", true}}, 1000.0 - static_cast<double>(a));
    const std::int64_t id = store_->add_measurement(session_, row);
    live_->on_event(session::MeasurementStored{id, row});
    session::SessionProgress progress;
    progress.evaluated = static_cast<std::uint64_t>(a);
    progress.fraction = static_cast<double>(a) / 8.0;
    live_->on_event(progress);
  }

  ReceivedAnswer get(const std::string& name, const std::string& host = "127.0.0.1") const {
    const ServedAddress served = address_in(live_->address());
    return fetch(served.port, served.path + name, host);
  }

  static std::uint64_t revision_of(const ReceivedAnswer& answer) {
    return std::stoull(answer.headers.at("Warptune-Revision"));
  }
  static std::uint64_t rows_of(const ReceivedAnswer& answer) {
    return nlohmann::json::parse(answer.body).at("workloads").at(0).at("rows").at("count");
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path kernel_ = testing::write_toy_kernel(folder_);
  std::filesystem::path database_ = folder_ / "live.db";
  std::optional<db::Store> store_;
  std::int64_t session_ = 0;
  std::optional<LiveReport> live_;
};

TEST_F(LiveReportTest, ServesTheRowsAsTheyAreStored) {
  ReceivedAnswer answer = get("data?after=0");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("Content-Type"), "application/json");
  EXPECT_EQ(nlohmann::json::parse(answer.body).at("workloads").size(), 0U) << "there is no session yet";
  begin_session();
  for (const std::int64_t a : {1, 2, 3}) {
    const std::uint64_t before = revision_of(answer);
    store_row(a);
    answer = get("data?after=" + std::to_string(before));
    ASSERT_EQ(answer.status, 200);
    EXPECT_GT(revision_of(answer), before);
    EXPECT_EQ(rows_of(answer), static_cast<std::uint64_t>(a));
    EXPECT_EQ(answer.headers.at("Warptune-State"), "running");
    EXPECT_EQ(answer.headers.at("Warptune-Evaluated"), std::to_string(a));
  }
  EXPECT_EQ(answer.headers.at("Warptune-Done"), "0.375");
}

TEST_F(LiveReportTest, HoldsTheQuestionForNewerDataUntilThereAreSome) {
  begin_session();
  store_row(1);
  const std::uint64_t known = revision_of(get("data?after=0"));
  auto answer = std::async(std::launch::async, [&] { return get("data?after=" + std::to_string(known)); });
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(700)), std::future_status::timeout);
  store_row(2);
  EXPECT_EQ(rows_of(answer.get()), 2U);
}

TEST_F(LiveReportTest, RefusesAnotherTokenAndAnotherHost) {
  begin_session();
  store_row(1);
  const ServedAddress served = address_in(live_->address());
  EXPECT_EQ(served.path.size(), 34U) << "128 random bits";
  std::string other = served.path;
  other[1] = other[1] == '0' ? '1' : '0';
  for (const std::string& path : {other, other + "data", std::string("/"), std::string("/data"),
                                  std::string("//"), served.path.substr(0, served.path.size() - 2) + "/"}) {
    const ReceivedAnswer refused = fetch(served.port, path);
    EXPECT_EQ(refused.status, 403) << path;
    EXPECT_THAT(refused.body, Not(HasSubstr(served.path.substr(1, 32)))) << path;
  }
  for (const std::string host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                                 "127.0.0.2", "evil.example:80", "", "127.0.0.1:evil.example"}) {
    for (const std::string name : {"", "data?after=0"}) EXPECT_EQ(get(name, host).status, 403) << host;
  }
  for (const std::string host : {"127.0.0.1", "localhost", "127.0.0.1:8080", "localhost:1"})
    EXPECT_EQ(get("data?after=0", host).status, 200) << host;
  EXPECT_EQ(get("other").status, 404);
}

TEST_F(LiveReportTest, EachHasATokenOfItsOwn) {
  const LiveReport second(WatchedTuning{kernel_.string(), {}, database_}, std::nullopt);
  EXPECT_NE(address_in(second.address()).path, address_in(live_->address()).path);
}

TEST_F(LiveReportTest, ItsPageAsksItsServerAndThePageOfAFileAsksNobody) {
  begin_session();
  store_row(1);
  const ReceivedAnswer page = get("");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("Content-Security-Policy"), "frame-ancestors 'none'");
  EXPECT_THAT(page.body, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(page.body, HasSubstr("Live.start("));
  const std::string file = html_report::report_page(html_report::report_page_folder(), "{}");
  EXPECT_THAT(file, Not(HasSubstr("connect-src")));
  EXPECT_THAT(file, Not(HasSubstr("Live.start(")));
  EXPECT_THAT(file, Not(HasSubstr("{{")));
}

TEST_F(LiveReportTest, TellsAHeldPageOfTheEndAndThenNeedNotWaitForIt) {
  begin_session();
  store_row(1);
  const std::uint64_t known = revision_of(get("data?after=0&page=one"));
  auto held =
      std::async(std::launch::async, [&] { return get("data?page=one&after=" + std::to_string(known)); });
  live_->end(LiveReport::End::kInterrupted);
  const ReceivedAnswer last = held.get();
  EXPECT_EQ(last.headers.at("Warptune-State"), "interrupted");
  EXPECT_EQ(rows_of(last), 1U);
  EXPECT_EQ(get("data?page=one&after=" + std::to_string(revision_of(last))).status, 204);
  const auto begin = std::chrono::steady_clock::now();
  live_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, LiveReport::kFarewell / 2);
}

TEST_F(LiveReportTest, WaitsAShortTimeForAPageThatDoesNotKnowTheEnd) {
  reopen(std::chrono::seconds(2));
  begin_session();
  store_row(1);
  EXPECT_EQ(get("data?after=0&page=one").status, 200);
  const std::uint64_t known = revision_of(get("data?after=0"));
  const ServedAddress served = address_in(live_->address());
  auto ended = std::async(std::launch::async, [&] { live_.reset(); });
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  const ReceivedAnswer last =
      fetch(served.port, served.path + "data?page=one&after=" + std::to_string(known));
  EXPECT_EQ(last.headers.at("Warptune-State"), "failed") << "nobody said how it ended";
  EXPECT_EQ(ended.wait_for(2 * LiveReport::kFarewell), std::future_status::ready);
}

TEST_F(LiveReportTest, WaitsLongerForAPageThatTakesLongToDraw) {
  reopen(std::chrono::milliseconds(1));
  begin_session();
  store_row(1);
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(get("data?after=0&page=one&away_ms=300").status, 200);
  live_.reset();
  EXPECT_GE(std::chrono::steady_clock::now() - asked, std::chrono::milliseconds(600));
}

TEST_F(LiveReportTest, DoesNotWaitForAPageThatSaidThatItCloses) {
  reopen(LiveReport::kFarewell);
  begin_session();
  store_row(1);
  EXPECT_EQ(get("data?after=0&page=one").status, 200);
  EXPECT_EQ(get("data?after=0&page=one&closed=1").status, 204);
  const auto begin = std::chrono::steady_clock::now();
  live_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, LiveReport::kFarewell / 2);
}

TEST_F(LiveReportTest, EndsAtOnceWithoutAPage) {
  begin_session();
  store_row(1);
  const auto begin = std::chrono::steady_clock::now();
  live_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, LiveReport::kFarewell / 2);
}

TEST_F(LiveReportTest, ReadsTheDatabaseAtMostTwiceASecond) {
  begin_session();
  store_row(1);
  const std::uint64_t known = revision_of(get("data?after=0"));
  const auto begin = std::chrono::steady_clock::now();
  store_row(2);
  get("data?after=" + std::to_string(known));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(400));
}

}  // namespace
}  // namespace warptune::tuner::watching
