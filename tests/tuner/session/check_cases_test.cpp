#include "tuner/session/check_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using kernel_templates::CheckCase;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<CheckCase> kCases = {{{{"N", std::int64_t{7}}}, 3, {"scale.cu", 20, 5}}, {{}, 4, {}}};

TEST(CheckCases, ThatAreRightAreNoWarning) {
  testing::FakeEvaluator evaluator;
  testing::RecordingListener listener;
  const base::Cancellation cancellation;
  std::vector<std::uint64_t> seeds;
  const auto evaluate = [&](const CheckCase& one) {
    seeds.push_back(one.seed);
    return evaluate_once(evaluator, testing::at(5), cancellation);
  };
  EXPECT_EQ(verify_cases(kCases, evaluate, listener), 0U);
  EXPECT_THAT(seeds, ::testing::ElementsAre(3U, 4U));
  EXPECT_THAT(evaluator.submitted, ::testing::ElementsAre(5, 5));
  EXPECT_THAT(listener.warnings, IsEmpty());
}

TEST(CheckCases, ThatFailGiveWarningsWithTheirSizesAndPlace) {
  testing::FakeEvaluator evaluator;
  evaluator.answer = [](const model::NamedValues& configuration) {
    model::Measurement wrong = testing::measured(configuration, 1000.0);
    wrong.status = model::Status::kWrongResult;
    wrong.reason = "x[6] is 3, expected 2";
    return wrong;
  };
  testing::RecordingListener listener;
  const base::Cancellation cancellation;
  const auto evaluate = [&](const CheckCase&) {
    return evaluate_once(evaluator, testing::at(5), cancellation);
  };
  EXPECT_EQ(verify_cases(kCases, evaluate, listener), 2U);
  ASSERT_EQ(listener.warnings.size(), 2U);
  EXPECT_THAT(listener.warnings[0],
              AllOf(HasSubstr("N=7, seed 3 (scale.cu:20:5)"), HasSubstr("x[6] is 3, expected 2")));
  EXPECT_THAT(listener.warnings[1], HasSubstr("the sizes of the problem, seed 4"));
}

TEST(CheckCases, WithSizesThatTheKernelRefusesFailAndTheOthersStillRun) {
  testing::RecordingListener listener;
  const auto evaluate = [](const CheckCase& one) -> std::optional<model::Measurement> {
    if (one.seed == 3) throw base::InputError("the space is empty");
    return std::nullopt;
  };
  EXPECT_EQ(verify_cases(kCases, evaluate, listener), 1U);
  EXPECT_THAT(listener.warnings, ::testing::ElementsAre(HasSubstr("the space is empty")));
}

}  // namespace
}  // namespace warptune::tuner::session
