// Everything that changes a spool, interrupted at each of its system calls.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "fleet/spool/step.h"
#include "tests/fleet/spool/spool_scenarios.h"

namespace warptune::fleet::spool {
namespace {

int steps_left = 0;  // Until the hook does something.

int kill_at_step(const Step&) {
  if (steps_left-- == 0) ::raise(SIGKILL);
  return 0;
}

int fail_at_step(const Step&) { return steps_left-- == 0 ? ENOSPC : 0; }

// Does the call, so that the process does it a second time.
int do_call_at_step(const Step& step) {
  if (steps_left-- != 0) return 0;
  const std::string_view call = step.call;
  if (call == "rename") ::renameat(step.from_folder, step.from, step.to_folder, step.to);
  if (call == "link") ::linkat(step.from_folder, step.from, step.to_folder, step.to, 0);
  if (call == "mkdir") ::mkdirat(step.from_folder, step.from, 0700);
  if (call == "unlink") ::unlinkat(step.from_folder, step.from, 0);
  return 0;
}

// Calls `work` with the hook doing its thing before step `step`. Returns whether there was such a step.
bool at_step(StepHook hook, int step, const std::function<void()>& work) {
  steps_left = step;
  set_step_hook(hook);
  try {
    work();
  } catch (...) {
    set_step_hook(nullptr);
    throw;
  }
  set_step_hook(nullptr);
  return steps_left < 0;
}

// Does `work` in a process that is killed before step `step`. Returns whether there was such a step.
bool killed_at_step(int step, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    at_step(kill_at_step, step, work);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

// Files that were not renamed to their places.
int unfinished_files(const std::filesystem::path& spool) {
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(spool))
    found += entry.path().filename().string().front() == '.';
  return found;
}

class SpoolSteps : public ::testing::TestWithParam<Scenario> {};

TEST_P(SpoolSteps, AProcessThatIsKilledLeavesWhatAnotherCompletes) {
  bool done_before = false;
  int steps = 0;
  for (bool killed = true; killed; ++steps) {
    SCOPED_TRACE(steps);
    SpoolUnderTest spool;
    GetParam().prepare(spool);
    const auto doomed = spool.connect(Access::kAdministrator);
    killed = killed_at_step(steps, [&] { GetParam().act(*doomed); });
    const auto other = spool.connect(Access::kAdministrator);
    const bool done = GetParam().is_done(*other);
    EXPECT_TRUE(done || !done_before) << "later steps undo what earlier ones have done";
    done_before = done;
    if (!done) {
      EXPECT_TRUE(killed);
      GetParam().act(*other);
      EXPECT_TRUE(GetParam().is_done(*other));
    }
    expect_usable(spool);
    if (HasFailure()) return;
  }
  EXPECT_GT(steps, 2);
}

TEST_P(SpoolSteps, AStepThatFailsIsAnErrorAndIsRepeated) {
  int steps = 0;
  for (bool failed = true; failed; ++steps) {
    SCOPED_TRACE(steps);
    SpoolUnderTest spool;
    GetParam().prepare(spool);
    const auto store = spool.connect(Access::kAdministrator);
    failed = false;
    try {
      at_step(fail_at_step, steps, [&] { GetParam().act(*store); });
    } catch (const base::MachineError& error) {
      failed = true;
      EXPECT_THAT(error.message(), ::testing::HasSubstr("No space left on device"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("free some space"));
    }
    EXPECT_LE(unfinished_files(spool.path()), 1) << "an unlink that fails leaves a file";
    if (failed) GetParam().act(*store);
    EXPECT_TRUE(GetParam().is_done(*spool.connect(Access::kAdministrator)));
    expect_usable(spool);
    if (HasFailure()) return;
  }
}

TEST_P(SpoolSteps, ALostReplyOfAFileServerIsRecognised) {
  bool stepped = true;
  for (int step = 0; stepped; ++step) {
    SCOPED_TRACE(step);
    SpoolUnderTest spool;
    GetParam().prepare(spool);
    const auto store = spool.connect(Access::kAdministrator);
    stepped = at_step(do_call_at_step, step, [&] { GetParam().act(*store); });
    EXPECT_TRUE(GetParam().is_done(*store));
    EXPECT_EQ(unfinished_files(spool.path()), 0);
    expect_usable(spool);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpoolSteps, ::testing::ValuesIn(scenarios()),
                         [](const auto& one) { return one.param.name; });

TEST(SpoolStepsTest, ALostReplyToALeaseStillLeases) {
  for (int step = 0; step < 5; ++step) {
    SpoolUnderTest spool;
    const auto store = spool.connect(Access::kAdministrator);
    store->add_campaign(testing::campaign_of("one", {testing::class_of("sgemm")}, 1));
    std::optional<Lease> lease;
    at_step(do_call_at_step, step, [&] { lease = store->lease(testing::kNodeA, {{"one", 0}}); });
    EXPECT_TRUE(lease) << step;
  }
}

}  // namespace
}  // namespace warptune::fleet::spool
