#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {

/// A home with the toy kernel and a recording of its whole space.
class ToySessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    recording_ = (warptune_ / "toy.wtrec.zst").string();
    db::write_recording(recording_, testing::toy_recording(kernel_));
  }

  /// Replays the recording, with further arguments.
  testing::ProgramRun tune(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"tune", kernel_, "--replay", recording_, "--budget", "all"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return warptune_.run(arguments);
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

}  // namespace warptune::tuner::commands
