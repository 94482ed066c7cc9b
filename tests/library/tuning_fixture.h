// Tunings through libwarptune.so, with a recording or with fake workers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "library/include/warptune_tuning.h"
#include "tests/library/interface_fixture.h"
#include "tests/tuner/session_data.h"

namespace warptune::library {

/// An event, with texts that last.
struct SeenEvent {
  int kind = 0;
  std::uint64_t evaluated = 0;
  double median_ns = 0.0;
  double best_median_ns = 0.0;
  std::string configuration;
  std::string status;
  std::string text;
};

/// The kernel `toy` (`write_toy_kernel`) with 8 configurations, its recording, and a library for tuning.
class TuningTest : public InterfaceTest {
 protected:
  TuningTest();
  ~TuningTest() override;

  warptune_library* open_to_tune();
  /// Options for a replay of the recording.
  warptune_tuning_options replay() const;
  /// Options for fake workers.
  warptune_tuning_options measure() const;
  warptune_tuning* start(const warptune_tuning_options& options);
  /// The message of a tuning that cannot be started.
  std::string start_failure(const warptune_tuning_options& options, warptune_status expected);
  /// All events until the end.
  static std::vector<SeenEvent> events(warptune_tuning* tuning);
  static warptune_tuning_result finish(warptune_tuning* tuning, warptune_status expected = WARPTUNE_OK);

  tuner::testing::TemporaryFolder toy_;
  std::string toy_kernel_;
  std::string recording_;
  warptune_library* library_ = nullptr;
  std::vector<warptune_tuning*> started_;
};

}  // namespace warptune::library
