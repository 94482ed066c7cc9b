#include "tests/library/tuning_fixture.h"

#include "db/recording_file.h"

namespace warptune::library {

TuningTest::TuningTest() {
  toy_kernel_ = tuner::testing::write_toy_kernel(toy_);
  recording_ = toy_ / "toy.wtrec.zst";
  db::write_recording(recording_, tuner::testing::toy_recording(toy_kernel_));
  library_ = open_to_tune();
}

TuningTest::~TuningTest() {
  for (warptune_tuning* tuning : started_) warptune_free_tuning(tuning);
}

warptune_library* TuningTest::open_to_tune() {
  warptune_open_options options{};
  options.mode = WARPTUNE_MODE_TUNE;
  return open(options);
}

warptune_tuning_options TuningTest::replay() const {
  warptune_tuning_options options{};
  options.struct_size = sizeof options;
  options.kernel = toy_kernel_.c_str();
  options.budget = "all";
  options.strategy = "exhaustive";
  options.recording = recording_.c_str();
  return options;
}

warptune_tuning_options TuningTest::measure() const {
  warptune_tuning_options options = replay();
  options.recording = nullptr;
  options.program = WARPTUNE_FAKE_GPU_WORKER;
  options.compile_workers = 1;
  return options;
}

warptune_tuning* TuningTest::start(const warptune_tuning_options& options) {
  warptune_tuning* tuning = nullptr;
  EXPECT_EQ(warptune_start_tuning(library_, &options, &tuning), WARPTUNE_OK) << warptune_last_error();
  if (tuning != nullptr) started_.push_back(tuning);
  return tuning;
}

std::string TuningTest::start_failure(const warptune_tuning_options& options, warptune_status expected) {
  warptune_tuning* tuning = nullptr;
  EXPECT_EQ(warptune_start_tuning(library_, &options, &tuning), expected) << warptune_last_error();
  EXPECT_EQ(tuning, nullptr);
  warptune_free_tuning(tuning);
  return warptune_last_error();
}

std::vector<SeenEvent> TuningTest::events(warptune_tuning* tuning) {
  std::vector<SeenEvent> seen;
  warptune_tuning_event event{};
  event.struct_size = sizeof event;
  do {
    EXPECT_EQ(warptune_next_event(tuning, -1.0, &event), WARPTUNE_OK) << warptune_last_error();
    seen.push_back({event.kind, event.evaluated, event.median_ns, event.best_median_ns, event.configuration,
                    event.status, event.text});
  } while (event.kind != WARPTUNE_EVENT_ENDED);
  return seen;
}

warptune_tuning_result TuningTest::finish(warptune_tuning* tuning, warptune_status expected) {
  warptune_tuning_result result{};
  result.struct_size = sizeof result;
  EXPECT_EQ(warptune_finish_tuning(tuning, &result), expected) << warptune_last_error();
  return result;
}

}  // namespace warptune::library
