// Every way in which a kernel can fail is one stored row with its reason, and the session continues. Needs a
// GPU.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/profiling/kept_context.h"
#include "tuner/processes/worker_output.h"
#include "tuner/session/tuning_session.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::workers {
namespace {

using model::Status;

struct Row {
  Status status;
  std::string reason;
  bool is_counted;
};

std::string data_folder() {
  const char* moved = std::getenv("WARPTUNE_TUNER_TEST_DATA");
  return moved != nullptr ? moved : WARPTUNE_TUNER_TEST_DATA;
}

// Tunes the whole space of faults.cu and returns the rows by FAULT (those of the last BLOCK).
std::map<std::int64_t, Row> tune_faults(const model::GpuDescription& gpu,
                                        const std::filesystem::path& database) {
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(data_folder() + "/faults.cu"),
                                                  {}, gpu);
  session::SearchRequest search;
  search.budget = session::Budget::parse("all");
  search.strategy = "exhaustive";
  const session::SessionPlan plan{search,
                                  {"faults", instance.definition().hash, instance.problem(), gpu},
                                  instance.space(),
                                  instance.default_configuration(),
                                  instance.work(),
                                  false,
                                  3};
  ProcessEvaluatorOptions options;
  options.max_evaluation_time = std::chrono::seconds(3);
  options.measuring.compile_cache = profiling::test_compile_cache();  // Many workers are replaced.
  ProcessEvaluator evaluator(instance, options);
  db::Store store(database);
  session::SilentListener listener;
  const base::Cancellation never;
  session::run_session(plan, evaluator, store, listener, never);
  std::map<std::int64_t, Row> rows;
  for (const db::StoredMeasurement& stored : store.measurements(plan.workload)) {
    const model::Value* fault = model::find(stored.measurement.configuration, "FAULT");
    rows[std::get<std::int64_t>(*fault)] = {stored.measurement.status, stored.measurement.reason,
                                            !stored.measurement.counters.empty()};
  }
  return rows;
}

TEST(GpuFaults, EachIsOneStoredRowWithItsReasonAndTheSessionGoesOn) {
  ::setenv("WARPTUNE_WORKER", WARPTUNE_BINARY, 0);  // Already set if the tests were moved.
  const profiling::GpuList list = gpus::list_local_gpus();
  if (list.gpus.empty()) GTEST_SKIP() << list.reason;
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "warptune_gpu_faults";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  ::testing::internal::CaptureStdout();
  const std::map<std::int64_t, Row> rows = tune_faults(list.gpus.front(), folder / "faults.db");
  const std::string on_stdout = ::testing::internal::GetCapturedStdout();
  std::filesystem::remove_all(folder);

  ASSERT_EQ(rows.size(), 14U);
  const auto expect = [&](std::int64_t fault, Status status, const std::string& word) {
    EXPECT_EQ(rows.at(fault).status, status) << "FAULT=" << fault << ": " << rows.at(fault).reason;
    EXPECT_NE(rows.at(fault).reason.find(word), std::string::npos)
        << "FAULT=" << fault << ": " << rows.at(fault).reason;
  };
  // A working configuration was launched to the end of its race. The fastest is measured; others may have
  // been dropped. Its counters were read, although workers were lost before and after it.
  const auto expect_launched = [&](std::int64_t fault, const std::string& printed = "") {
    EXPECT_TRUE(rows.at(fault).status == Status::kMeasured || rows.at(fault).status == Status::kDropped)
        << rows.at(fault).reason;
    EXPECT_NE(rows.at(fault).reason.find(printed), std::string::npos) << rows.at(fault).reason;
    EXPECT_EQ(rows.at(fault).reason.empty(), printed.empty()) << rows.at(fault).reason;
    EXPECT_TRUE(rows.at(fault).is_counted) << "FAULT=" << fault;
  };
  expect_launched(0);
  expect(1, Status::kWrongResult, "element 1000002");
  expect(2, Status::kLaunchFailed, "ILLEGAL_ADDRESS");
  expect(3, Status::kWrongResult, "out");
  expect(4, Status::kTimedOut, "the evaluation took more than ");
  expect(5, Status::kLaunchFailed, "");
  expect(6, Status::kLaunchInvalid, "threads");
  expect(7, Status::kLaunchInvalid, "shared memory");
  expect_launched(8);
  expect(9, Status::kCompileFailed, "does not compile");
  expect(10, Status::kLaunchFailed, "ASSERT");
  expect(11, Status::kLaunchInvalid, "");
  expect_launched(12);  // Leaked memory belongs to the context and is freed with it.
  // What a kernel prints is kept with its row, up to a limit, and never reaches this process' own output.
  expect_launched(13, "says hello");
  EXPECT_LE(rows.at(13).reason.size(), processes::WorkerOutput::kKeptBytes + 200);
  EXPECT_EQ(on_stdout, "");
}

}  // namespace
}  // namespace warptune::tuner::workers
