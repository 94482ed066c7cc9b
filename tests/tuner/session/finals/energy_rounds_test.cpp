// The rounds with real processes, of which the GPU's worker is a fake (fake_gpu_worker.cpp). Sessions with
// such rounds are in tuning_session_objective_test.cpp.
#include "tuner/session/finals/energy_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::session::finals {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class EnergyRoundsTest : public ::testing::Test {
 protected:
  EnergyRoundsTest() { options_.compile_workers = 1; }

  model::NamedValues configuration(std::size_t index) const {
    return instance_.space().values_of(instance_.space().at(index));
  }

  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
  kernel_templates::KernelInstance instance_{
      kernel_templates::load_kernel("vector_add"), {}, model::fictional_gpu()};
  workers::ProcessEvaluatorOptions options_;
  base::Cancellation cancellation_;
};

TEST_F(EnergyRoundsTest, EvaluateAgainAfterTheCountersOfTheSearchAreClosed) {
  const testing::ScopedVariable counting("FAKE_ENERGY", "1");  // Its evaluations take 1 J, 2 J, 3 J, ...
  workers::ProcessEvaluator evaluator(instance_, options_);
  EXPECT_TRUE(evaluator.measures_again());
  const auto searched = measure_energy_again(evaluator, {configuration(0)}, 1, 1, cancellation_);
  ASSERT_THAT(searched, SizeIs(1));
  EXPECT_THAT(searched[0].energy, ElementsAre(Pair("energy_j", 1.0)));
  evaluator.close_counters();
  const auto again =
      measure_energy_again(evaluator, {configuration(0), configuration(1)}, 3, 1, cancellation_);
  ASSERT_THAT(again, SizeIs(2));
  for (const EnergyFinalist& finalist : again) EXPECT_FALSE(finalist.fault) << finalist.fault->reason;
  const std::set<double> medians{again[0].energy.at("energy_j"), again[1].energy.at("energy_j")};
  EXPECT_THAT(medians, ElementsAre(4.0, 5.0)) << "those of the second of three rounds: each measures both";
  EXPECT_EQ(evaluator.pending(), 0U);
}

TEST_F(EnergyRoundsTest, GiveNothingIfTheSessionIsCancelled) {
  options_.cancellation = &cancellation_;
  workers::ProcessEvaluator evaluator(instance_, options_);
  cancellation_.cancel();
  EXPECT_THAT(measure_energy_again(evaluator, {configuration(0)}, 3, 1, cancellation_), IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner::session::finals
