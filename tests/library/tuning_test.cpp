// Tuning from a program: `warptune_start_tuning` and what follows, without a GPU.
#include "library/include/warptune_tuning.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/library/tuning_fixture.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::library {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tuner::testing::ScopedVariable;

std::size_t count_of(const std::vector<SeenEvent>& events, int kind) {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [kind](const SeenEvent& event) { return event.kind == kind; }));
}

// Without those of the database, which SQLite keeps for later use as long as the library has it open.
std::set<std::string> open_descriptors() {
  std::set<std::string> open;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = fs::read_symlink(entry.path(), ignored).string();
    if (target.find("rows.db") == std::string::npos)
      open.insert(entry.path().filename().string() + " " + target);
  }
  return open;
}

TEST_F(TuningTest, ARecordingIsTunedAndItsResultsArriveAsTheyCome) {
  warptune_tuning* tuning = start(replay());
  const std::vector<SeenEvent> seen = events(tuning);
  EXPECT_EQ(count_of(seen, WARPTUNE_EVENT_MEASURED), 8U);
  EXPECT_EQ(seen.back().evaluated, 8U);
  EXPECT_EQ(seen.back().best_median_ns, 1000.0);
  const auto wrong = std::find_if(seen.begin(), seen.end(),
                                  [](const SeenEvent& event) { return event.status == "wrong_result"; });
  ASSERT_NE(wrong, seen.end());
  EXPECT_EQ(wrong->configuration, "A=3 B=false");
  EXPECT_EQ(wrong->text, "x[0] is 3, expected 2");
  EXPECT_TRUE(std::isnan(wrong->median_ns));
  const warptune_tuning_result result = finish(tuning);
  EXPECT_STREQ(result.configuration, "A=2 B=true");
  EXPECT_EQ(result.evaluated, 8U);
  EXPECT_EQ(result.wrong, 1U);
  EXPECT_EQ(result.replayed, 1);
  EXPECT_EQ(result.cancelled, 0);
  EXPECT_EQ(result.median_ns, 1000.0);
  EXPECT_EQ(result.default_median_ns, 2010.0);
  EXPECT_GT(result.session, 0);
  EXPECT_EQ(events(tuning).size(), 1U);  // The end, every time.
}

TEST_F(TuningTest, FakeWorkersAreStartedAndNothingOfTheProgramIsTouched) {
  const std::set<std::string> before = open_descriptors();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  warptune_tuning* tuning = start(measure());
  const std::vector<SeenEvent> seen = events(tuning);
  const warptune_tuning_result result = finish(tuning);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(count_of(seen, WARPTUNE_EVENT_MEASURED), 8U);
  EXPECT_EQ(count_of(seen, WARPTUNE_EVENT_FINALS), 1U);
  EXPECT_EQ(result.evaluated, 8U);
  EXPECT_EQ(result.replayed, 0);
  EXPECT_GT(result.median_ns, 0.0);
  EXPECT_STREQ(result.gpu, model::fictional_gpu().name.c_str());
  EXPECT_EQ(open_descriptors(), before);
  struct sigaction action {};
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD, SIGPIPE}) {
    ASSERT_EQ(::sigaction(signal, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << signal;
  }
}

TEST_F(TuningTest, AProgramMayIgnoreItsChildren) {
  ::signal(SIGCHLD, SIG_IGN);
  warptune_tuning* tuning = start(measure());
  EXPECT_EQ(finish(tuning).evaluated, 8U);
  ::signal(SIGCHLD, SIG_DFL);
}

TEST_F(TuningTest, AnotherThreadCancelsAndWhatIsMeasuredIsKept) {
  const std::string many = tuner::testing::write_toy_kernel(toy_, 10000);
  warptune_tuning_options options = measure();
  options.kernel = many.c_str();
  warptune_tuning* tuning = start(options);
  std::thread other([tuning] {
    warptune_tuning_event event{};
    event.struct_size = sizeof event;
    for (int rows = 0; rows < 5;) {
      ASSERT_EQ(warptune_next_event(tuning, -1.0, &event), WARPTUNE_OK);
      if (event.kind == WARPTUNE_EVENT_MEASURED) ++rows;
    }
    warptune_cancel_tuning(tuning);
  });
  const warptune_tuning_result result = finish(tuning);
  other.join();
  EXPECT_EQ(result.cancelled, 1);
  EXPECT_GE(result.evaluated, 5U);
  EXPECT_LT(result.evaluated, 20000U);
  const db::Store store = db::Store::open_existing(database_);
  EXPECT_EQ(store.session_measurements(result.session).size(), result.evaluated);
}

TEST_F(TuningTest, FreeingARunningTuningCancelsIt) {
  const ScopedVariable hangs("FAKE_SET_UP_HANGS", "1");
  warptune_tuning* tuning = nullptr;
  const warptune_tuning_options options = measure();
  ASSERT_EQ(warptune_start_tuning(library_, &options, &tuning), WARPTUNE_OK) << warptune_last_error();
  warptune_tuning_event event{};
  event.struct_size = sizeof event;
  do {
    ASSERT_EQ(warptune_next_event(tuning, 0.01, &event), WARPTUNE_OK);
    ASSERT_NE(event.kind, WARPTUNE_EVENT_ENDED);
  } while (event.kind != WARPTUNE_EVENT_NONE);
  warptune_free_tuning(tuning);  // Without the cancellation this would take three minutes.
}

TEST_F(TuningTest, AKernelThatIsReopenedSeesTheNewRowsAndOpenOnesStay) {
  warptune_open_options open_options{};
  open_options.mode = WARPTUNE_MODE_TUNE;
  const std::string gpu = model::fictional_gpu().name;
  open_options.gpu = gpu.c_str();
  library_ = open(open_options);
  finish(start(replay()));
  warptune_kernel* kernel = nullptr;
  ASSERT_EQ(warptune_open_kernel(library_, toy_kernel_.c_str(), -1, &kernel), WARPTUNE_OK)
      << warptune_last_error();
  const std::vector<warptune_value> size = {integer(1024)};
  const warptune_selection* before = nullptr;
  ASSERT_EQ(warptune_select(kernel, size.data(), 1, &before), WARPTUNE_OK) << warptune_last_error();
  warptune_tuning_options again = measure();
  again.fresh = 1;
  finish(start(again));
  warptune_kernel* same = nullptr;
  ASSERT_EQ(warptune_open_kernel(library_, toy_kernel_.c_str(), -1, &same), WARPTUNE_OK);
  EXPECT_EQ(same, kernel);
  warptune_kernel* reopened = nullptr;
  ASSERT_EQ(warptune_reopen_kernel(library_, toy_kernel_.c_str(), -1, &reopened), WARPTUNE_OK);
  EXPECT_NE(reopened, kernel);
  const warptune_selection* after = nullptr;
  ASSERT_EQ(warptune_select(reopened, size.data(), 1, &after), WARPTUNE_OK) << warptune_last_error();
  EXPECT_EQ(info(after).median_ns, 2.0);  // The median of the finals of the fake.
  EXPECT_NE(info(before).median_ns, 2.0);
  const warptune_selection* still = nullptr;
  ASSERT_EQ(warptune_select(kernel, size.data(), 1, &still), WARPTUNE_OK);
  EXPECT_EQ(still, before);
}

TEST_F(TuningTest, ALibraryWithoutPermissionTunesNothing) {
  library_ = open();
  EXPECT_THAT(start_failure(replay(), WARPTUNE_ERROR_MODE), HasSubstr("WARPTUNE_MODE_TUNE"));
  const std::string snapshot = write_snapshot("winners.snapshot");
  warptune_open_options options{};
  options.struct_size = sizeof options;
  options.mode = WARPTUNE_MODE_TUNE;
  options.snapshot = snapshot.c_str();
  warptune_library* library = nullptr;
  EXPECT_EQ(warptune_open(&options, &library), WARPTUNE_ERROR_INPUT);
  EXPECT_THAT(warptune_last_error(), HasSubstr("a snapshot never changes"));
}

TEST_F(TuningTest, AMissingDatabaseIsMade) {
  const std::string database = toy_ / "new.db";
  warptune_open_options options{};
  options.struct_size = sizeof options;
  options.mode = WARPTUNE_MODE_TUNE;
  options.database = database.c_str();
  ASSERT_EQ(warptune_open(&options, &library_), WARPTUNE_OK) << warptune_last_error();
  opened_.push_back(library_);
  EXPECT_STREQ(finish(start(replay())).configuration, "A=2 B=true");
}

TEST_F(TuningTest, BadInputIsToldBeforeAnythingStarts) {
  const auto failure_with = [this](auto change, warptune_status expected = WARPTUNE_ERROR_INPUT) {
    warptune_tuning_options options = measure();
    change(options);
    return start_failure(options, expected);
  };
  EXPECT_THAT(failure_with([](auto& o) { o.kernel = nullptr; }), HasSubstr("name of a kernel"));
  EXPECT_THAT(failure_with([](auto& o) { o.kernel = "vector_ad"; }), HasSubstr("did you mean"));
  EXPECT_THAT(failure_with([](auto& o) { o.budget = "soon"; }), HasSubstr("soon"));
  EXPECT_THAT(failure_with([](auto& o) { o.strategy = "luck"; }), HasSubstr("luck"));
  EXPECT_THAT(failure_with([](auto& o) { o.objective = "beauty +"; }), HasSubstr("objective"));
  EXPECT_THAT(failure_with([](auto& o) {
                o.until = "0.9roof";
                o.objective = "registers";
              }),
              HasSubstr("is a share of the time"));
  EXPECT_THAT(failure_with([](auto& o) { o.reproducible = "often"; }), HasSubstr("expected runs|bits"));
  warptune_tuning_options recorded = replay();
  recorded.reproducible = "bits";
  EXPECT_THAT(start_failure(recorded, WARPTUNE_ERROR_INPUT), HasSubstr("a recording has no outputs"));
  EXPECT_THAT(failure_with([](auto& o) { o.problem_count = 1; }), HasSubstr("found null"));
  const std::vector<warptune_value> sizes = {integer(1), integer(2)};
  EXPECT_THAT(failure_with([&](auto& o) {
                o.problem = sizes.data();
                o.problem_count = 2;
              }),
              HasSubstr("expected at most 1 values"));
  EXPECT_THAT(failure_with([](auto& o) { o.device = 7; }, WARPTUNE_ERROR_MACHINE), HasSubstr("7"));
  EXPECT_THAT(failure_with([](auto& o) { o.struct_size = 1; }), HasSubstr("struct_size"));
  EXPECT_THAT(failure_with([](auto& o) { o.recording = "/nonexistent.wtrec.zst"; }),
              HasSubstr("nonexistent"));
  warptune_tuning_event event{};
  event.struct_size = sizeof event;
  EXPECT_EQ(warptune_next_event(nullptr, 1.0, &event), WARPTUNE_ERROR_INPUT);
  EXPECT_EQ(warptune_next_event(start(replay()), std::numeric_limits<double>::quiet_NaN(), &event),
            WARPTUNE_ERROR_INPUT);
}

TEST_F(TuningTest, AMissingProgramIsToldWithThePlacesThatWereLookedAt) {
  warptune_tuning_options options = measure();
  options.program = "/nonexistent/warptune";
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_MACHINE), HasSubstr("/nonexistent/warptune"));
  options.program = nullptr;
  const ScopedVariable path("PATH", "/nowhere:/elsewhere");
  const ScopedVariable worker("WARPTUNE_WORKER", "/missing/worker");
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_MACHINE), HasSubstr("not at /missing/worker;"));
}

TEST_F(TuningTest, AMachineWithoutAGpuSaysSo) {
  warptune_tuning_options options = measure();
  options.program = "/bin/false";  // It ends without a list of GPUs.
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_MACHINE),
              HasSubstr("no GPU: the worker that lists the GPUs ended: exit code 1"));
}

// A worker of its own would find one GPU. The fake driver of this process has two.
TEST_F(TuningTest, KernelsRunInThisProcessIfTheProgramAsksForIt) {
  profiling::fake_cuda().records = false;  // Its own kernels have other parameters.
  profiling::fake_cuda().devices = 2;
  profiling::fake_cuda().context_device = 1;
  warptune_tuning_options options = measure();
  options.device = 1;
  EXPECT_THAT(start_failure(options, WARPTUNE_ERROR_MACHINE), HasSubstr("1"));
  options.in_this_process = 1;
  warptune_tuning* tuning = start(options);
  ASSERT_NE(tuning, nullptr);
  warptune_cancel_tuning(tuning);
  EXPECT_EQ(finish(tuning).cancelled, 1);
}

TEST_F(TuningTest, AProgramOfAnotherVersionIsRefused) {
  const ScopedVariable other("FAKE_OTHER_VERSION", "1");
  EXPECT_THAT(start_failure(measure(), WARPTUNE_ERROR_MACHINE),
              HasSubstr("of the protocol, this end speaks"));
}

TEST_F(TuningTest, AnUnknownCacheStateCannotBeMeasured) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  options.cache_state = "unknown";
  library_ = open(options);
  EXPECT_THAT(start_failure(measure(), WARPTUNE_ERROR_INPUT), HasSubstr("cold or warm"));
}

TEST_F(TuningTest, NothingRightIsAnErrorWithItsReason) {
  const ScopedVariable fails("WARPTUNE_FAKE_COMPILE_FAILS", "1");
  warptune_tuning* tuning = start(measure());
  const warptune_tuning_result result = finish(tuning, WARPTUNE_ERROR_UNKNOWN);
  EXPECT_THAT(warptune_last_error(), HasSubstr("a fake's"));
  EXPECT_EQ(result.evaluated, 8U);
  EXPECT_STREQ(result.configuration, "");
  EXPECT_TRUE(std::isnan(result.median_ns));
}

TEST_F(TuningTest, TwoTuningsRunAtTheSameTime) {
  warptune_tuning* first = start(measure());
  warptune_tuning* second = start(replay());
  EXPECT_EQ(finish(second).replayed, 1);
  EXPECT_EQ(finish(first).replayed, 0);
}

TEST_F(TuningTest, TheCppFaceTunesCancelsAndThrows) {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  options.database = database_.c_str();
  const Library library(options);
  TuningRequest request(toy_kernel_);
  request.problem(1024).budget("all").strategy("exhaustive").recording(recording_);
  Tuning tuning(library, request);
  int rows = 0;
  tuning.each_event(
      [&](const warptune_tuning_event& event) { rows += event.kind == WARPTUNE_EVENT_MEASURED; });
  EXPECT_EQ(rows, 8);
  EXPECT_EQ(tuning.finish().configuration, "A=2 B=true");
  Tuning cancelled(library, request.fresh());
  cancelled.cancel();
  EXPECT_NO_THROW(cancelled.finish());
  EXPECT_THROW(tune(library, request.budget("never")), Error);
}

}  // namespace
}  // namespace warptune::library
