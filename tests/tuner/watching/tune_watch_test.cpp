// `warptune tune --watch` as a program. A replay takes the place of a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "base/text.h"
#include "tests/tuner/commands/toy_session.h"
#include "tests/tuner/watching/http_client.h"
#include "tuner/watching/live_report.h"
#include "tuner/watching/loopback_server.h"

namespace warptune::tuner::watching {
namespace {

using ::testing::HasSubstr;

// The fake GPU takes half a second for each of its configurations.
constexpr const char* kCrawl = R"cu(/* warptune
[kernel]
name = "crawl"
entry = "crawl"
[problem]
N = 32
[parameters]
A = { range = [1, 200] }
DO = ["crawl"]
[default]
A = 1
DO = "crawl"
[launch]
grid = ["1"]
block = ["32"]
[[argument]]
name = "x"
kind = "inout"
type = "f32"
count = "N"
*/
extern "C" __global__ void crawl(float* x) { x[threadIdx.x] *= 2.0f; }
)cu";

class TuneWatchTest : public commands::ToySessionTest {
 protected:
  // Starts a watched session of a hundred seconds that needs little of a core.
  pid_t start_slow_session() {
    warptune_.variables["WARPTUNE_WORKER"] = WARPTUNE_FAKE_GPU_WORKER;
    return warptune_.start({"tune", warptune_.file("crawl.cu", kCrawl), "--measure", "--budget", "all",
                            "--strategy", "exhaustive", "--metrics", "none", "--compile-cache", "none",
                            "--watch"});
  }

  // Waits until the program has printed its address.
  ServedAddress served() const {
    for (int i = 0; i < 3000; ++i) {
      const ServedAddress address = address_in(testing::slurp(warptune_ / "stderr"));
      if (address.port != 0) return address;
      ::usleep(10'000);
    }
    ADD_FAILURE() << "no address: " << testing::slurp(warptune_ / "stderr");
    return {};
  }

  // The answer with newer data than those of `before`. A busy machine may answer several times that there are
  // none.
  static ReceivedAnswer newer(const ServedAddress& at, const ReceivedAnswer& before = {}) {
    const auto known = before.headers.find("Warptune-Revision");
    const std::string path = at.path + "data?after=" + (known == before.headers.end() ? "0" : known->second);
    ReceivedAnswer answer = fetch(at.port, path);
    for (int i = 0; i < 20 && (answer.status == 204 || answer.status == 0); ++i)
      answer = fetch(at.port, path);
    return answer;
  }

  static std::size_t rows_of(const ReceivedAnswer& answer) {
    const nlohmann::json report = nlohmann::json::parse(answer.body);
    if (report.at("workloads").empty()) return 0;
    return report.at("workloads").at(0).at("rows").at("count");
  }
};

TEST_F(TuneWatchTest, ShowsARunningSessionAndEndsWithIt) {
  const pid_t pid = start_slow_session();
  const ServedAddress at = served();
  EXPECT_THAT(fetch(at.port, at.path).body, HasSubstr("<title>warptune report</title>"));
  ReceivedAnswer answer = newer(at);
  while (answer.status == 200 && rows_of(answer) == 0) answer = newer(at, answer);
  ASSERT_EQ(answer.status, 200);
  const ReceivedAnswer later = newer(at, answer);
  ASSERT_EQ(later.status, 200);
  EXPECT_GT(rows_of(later), rows_of(answer));
  EXPECT_EQ(later.headers.at("Warptune-State"), "running");
  EXPECT_EQ(nlohmann::json::parse(later.body).at("workloads").at(0).at("kernel"), "crawl");
  ::kill(pid, SIGINT);
  const testing::ProgramRun run = warptune_.wait(pid);
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_EQ(connect_to(at.port), -1);
}

TEST_F(TuneWatchTest, PrintsTheSameAsWithoutItAndWaitsForNobody) {
  const testing::ProgramRun plain = tune({"--format", "json"});
  const testing::ProgramRun watched = tune({"--format", "json", "--watch", "--fresh"});
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  EXPECT_NE(address_in(watched.err).port, 0);
  const auto best = [](const testing::ProgramRun& run) {
    return nlohmann::json::parse(run.out).at("sessions").at(0).at("best").at("configuration");
  };
  EXPECT_EQ(best(watched), best(plain));
}

TEST_F(TuneWatchTest, GivesTheAddressAsALineOfProgress) {
  const testing::ProgramRun run = tune({"--watch", "--progress", "json"});
  std::vector<std::string> addresses;
  for (const std::string& line : base::split(run.err, '\n')) {
    const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.at("event") == "report_served") addresses.push_back(event.at("address"));
  }
  ASSERT_EQ(addresses.size(), 1U) << run.err;
  EXPECT_NE(address_in(addresses.front()).port, 0);
}

TEST_F(TuneWatchTest, UsesTheGivenPortAndRefusesOneInUseBeforeItMeasures) {
  std::optional<LoopbackServer> other;
  other.emplace(std::nullopt, [](const HttpRequest&) { return HttpAnswer{}; });
  const std::uint16_t port = other->port();
  const std::string option = "--watch=" + std::to_string(port);
  const testing::ProgramRun refused = tune({option});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr(std::to_string(port) + " of 127.0.0.1 cannot be used"));
  EXPECT_THAT(refused.err, HasSubstr("give another port"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database())) << "nothing was stored";
  other.reset();
  const testing::ProgramRun run = tune({option});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(address_in(run.err).port, port);
}

TEST_F(TuneWatchTest, RefusesWhatIsNoPort) {
  for (const std::string value : {"0", "65536", "http", "-1", "80 "}) {
    const testing::ProgramRun run = tune({"--watch=" + value});
    EXPECT_EQ(run.exit_code, 2) << value;
    EXPECT_THAT(run.err, HasSubstr("--watch")) << value;
  }
}

}  // namespace
}  // namespace warptune::tuner::watching
