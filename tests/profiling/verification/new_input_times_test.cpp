#include "profiling/verification/new_input_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace warptune::profiling::verification {
namespace {

using ::testing::HasSubstr;

/// Asks for observations as a runner does, and returns the verdict.
template <typename Observe>
std::optional<std::string> verdict(bool on_host, const Observe& observe) {
  const auto rejection = examine(on_host, [&] { return model::Outcome<NewInputTimes>(observe()); });
  if (!rejection) return std::nullopt;
  EXPECT_EQ(rejection->status, model::Status::kImplausible);
  return rejection->reason;
}

/// How many of 1000 honest kernels are refused whose launches take one of two times, by chance. Each has been
/// suspected.
int refused_of_thousand(std::uint64_t seed, double share_of_slow, double fast_ns, double slow_ns) {
  base::Random random(seed);
  const auto launch = [&] {
    return static_cast<double>(random.below(1000)) < 1000.0 * share_of_slow ? slow_ns : fast_ns;
  };
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    refused += verdict(false,
                       [&] {
                         const double first_ns = launch();
                         return NewInputTimes{first_ns, {launch(), launch(), launch()}};
                       })
                   ? 1
                   : 0;
  }
  return refused;
}

TEST(MemoryOfResultsTest, AKernelThatRemembersIsRefusedWithItsTimes) {
  const auto fault = verdict(false, [] { return NewInputTimes{85000.0, {11000.0, 11000.0, 11100.0}}; });
  ASSERT_TRUE(fault.has_value());
  EXPECT_THAT(*fault, HasSubstr("takes 7.73 times as long on inputs that it has not seen"));
  EXPECT_THAT(*fault, HasSubstr("85.0 us instead of 11.0 us"));
}

// The times of the cheats remembers_checksum and scratch_from_before on an H200.
TEST(MemoryOfResultsTest, CheatsOfTheCorpusAreRefused) {
  for (const double ratio : {7.7, 25.8}) {
    int observations = 0;
    EXPECT_TRUE(verdict(false, [&] {
      ++observations;
      return NewInputTimes{ratio * 11000.0, {11000.0, 11200.0, 11000.0}};
    })) << ratio;
    EXPECT_EQ(observations, 9) << ratio;
  }
}

TEST(MemoryOfResultsTest, OneFastLaunchOnNewInputsClearsAKernel) {
  int observations = 0;
  EXPECT_FALSE(verdict(false, [&] {
    return NewInputTimes{++observations < 4 ? 3e6 : 1.2e6, {1.1e6, 1.1e6, 1.1e6}};
  }));
  EXPECT_EQ(observations, 4);
}

TEST(MemoryOfResultsTest, SomeSlowedLaterLaunchesDoNotHideAMemory) {
  base::Random random(5);
  const auto later = [&] { return random.below(10) < 4 ? 85000.0 : 11000.0; };
  EXPECT_TRUE(verdict(false, [&] {
    return NewInputTimes{85000.0, {later(), later(), later(), later(), later()}};
  }));
}

// Seen on a GPU that three processes shared: an honest kernel was refused after three comparisons.
TEST(MemoryOfResultsTest, AnHonestKernelOnASharedGpuIsNotRefused) {
  EXPECT_LE(refused_of_thousand(7, 0.5, 1.14e6, 2.9e6), 2);
}

// A busy host slows most launches of a short program that its clock times. All first launches may then be
// slow by chance.
TEST(MemoryOfResultsTest, AnHonestProgramOnABusyHostIsNotRefused) {
  for (const double share_of_slow : {0.3, 0.6, 0.7, 0.75, 0.8, 0.9})
    EXPECT_LE(refused_of_thousand(11, share_of_slow, 15200.0, 27200.0), 8) << share_of_slow;
}

// Seen on an H200: a product by cuBLAS in a graph, timed by the host's clock, was refused. It took 15.2 us in
// a race, one launch after the other, and 27.2 us after a pause. The slow first launch of the race was
// chance.
TEST(MemoryOfResultsTest, AProgramThatIsSlowerAfterEachPauseIsNotRefused) {
  const NewInputTimes race{27200.0, std::vector<double>(40, 15200.0)};
  EXPECT_TRUE(MemoryOfResults(false).are_suspicious(race));
  EXPECT_FALSE(verdict(false, [] { return NewInputTimes{27200.0, {27000.0, 27300.0, 26800.0}}; }));
}

TEST(MemoryOfResultsTest, ARaceAloneDecidesNothing) {
  const MemoryOfResults memory(false);
  EXPECT_TRUE(memory.are_suspicious({85000.0, {11000.0, 11000.0}}));
  EXPECT_FALSE(memory.are_suspicious({11500.0, {11000.0, 11000.0}}));
  EXPECT_TRUE(memory.is_undecided());
  EXPECT_FALSE(memory.fault().has_value());
}

TEST(MemoryOfResultsTest, TheHostsCachesAreNoMemory) {
  const NewInputTimes times{130000.0, {100000.0, 100000.0}};
  EXPECT_FALSE(verdict(true, [&] { return times; }));
  EXPECT_TRUE(verdict(false, [&] { return times; }));
}

// The check of the launch on new inputs was ignored once: only its time was looked at.
TEST(MemoryOfResultsTest, AWrongResultOnNewInputsIsTheVerdictWhateverTheTimes) {
  int observations = 0;
  const auto rejection = examine(false, [&]() -> model::Outcome<NewInputTimes> {
    if (++observations < 3) return NewInputTimes{85000.0, {11000.0, 11000.0, 11000.0}};
    return base::failure(model::Rejection{model::Status::kWrongResult, "element 3"});
  });
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->status, model::Status::kWrongResult);
  EXPECT_EQ(rejection->reason, "element 3");
  EXPECT_EQ(observations, 3);
}

TEST(MemoryOfResultsTest, CodeThatCannotBeLoadedAgainIsRejectedForThat) {
  const auto rejection = examine(false, []() -> model::Outcome<NewInputTimes> {
    return base::failure(model::Rejection{model::Status::kLaunchInvalid, "too many registers"});
  });
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->status, model::Status::kLaunchInvalid);
}

TEST(MemoryOfResultsTest, NothingIsSaidOfTooFewTimes) {
  MemoryOfResults memory(false);
  EXPECT_FALSE(memory.are_suspicious({85000.0, {11000.0}}));
  memory.add({85000.0, {11000.0}});
  EXPECT_FALSE(memory.is_undecided());
  EXPECT_FALSE(memory.fault().has_value());
}

/// A kernel that writes the number of the inputs' set into its output. It may remember its results in
/// scratch. Records its steps.
class RecordedCode : public ObservedCode {
 public:
  enum class Memory { kNone, kOfEachInput, kOfTheLastResult };
  static constexpr int kPoison = -1;

  explicit RecordedCode(Memory memory = Memory::kNone) : memory_(memory) {}

  void poison() override {
    steps_.emplace_back("poison");
    output_ = scratch_of_ = scratch_ = kPoison;
  }
  void exchange_inputs() override {
    steps_.emplace_back("exchange");
    inputs_ = 1 - inputs_;
  }
  void prepare() override { steps_.emplace_back("prepare"); }
  double launch_ns() override {
    steps_.emplace_back("launch");
    const bool knows_inputs = memory_ == Memory::kOfEachInput && scratch_of_ == inputs_;
    const bool knows_a_result = memory_ == Memory::kOfTheLastResult && scratch_ != kPoison;
    if (knows_inputs || knows_a_result) {
      output_ = scratch_;
      return 11000.0;
    }
    output_ = inputs_;
    if (memory_ != Memory::kNone) scratch_ = scratch_of_ = inputs_;
    return 85000.0;
  }
  std::optional<std::string> verify() override {
    steps_.emplace_back("verify");
    return output_ == inputs_ ? std::nullopt : std::optional<std::string>("of other inputs");
  }

  const std::vector<std::string>& steps() const { return steps_; }
  void leave_results_of_both_inputs() { scratch_ = scratch_of_ = 1; }

 private:
  Memory memory_;
  int inputs_ = 0;
  int output_ = kPoison;
  int scratch_ = kPoison;     ///< The result that is kept in scratch.
  int scratch_of_ = kPoison;  ///< The inputs to which it belongs.
  std::vector<std::string> steps_;
};

TEST(ObserveTest, OnlyTheUncomparedLaunchFindsPoisonAndAllOthersArePreparedAlike) {
  RecordedCode code;
  ASSERT_TRUE(observe(code).has_value());
  std::vector<std::string> expected = {"poison", "launch", "verify", "exchange"};
  for (int i = 0; i < 4; ++i)
    expected.insert(expected.end(), {"exchange", "exchange", "prepare", "launch", "verify"});
  EXPECT_EQ(code.steps(), expected);
}

TEST(ObserveTest, CodeThatKeepsTheResultsOfItsInputsInScratchIsSlowOnNewOnesOnly) {
  RecordedCode code(RecordedCode::Memory::kOfEachInput);
  code.leave_results_of_both_inputs();  // An earlier observation left them: they must not help it.
  const model::Outcome<NewInputTimes> times = observe(code);
  ASSERT_TRUE(times.has_value()) << times.error().reason;
  EXPECT_EQ(times->first_ns, 85000.0);
  EXPECT_THAT(times->later_ns, ::testing::ElementsAre(11000.0, 11000.0, 11000.0));
}

// While the first compared launch found poisoned scratch, this code was right in it.
TEST(ObserveTest, CodeThatReturnsTheResultInItsScratchIsWrong) {
  RecordedCode code(RecordedCode::Memory::kOfTheLastResult);
  const model::Outcome<NewInputTimes> times = observe(code);
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().status, model::Status::kWrongResult);
  EXPECT_EQ(times.error().reason,
            "right in its first launch, wrong on inputs that it has not seen: of other inputs");
}

TEST(ObserveTest, AKernelThatIsWrongWhenItIsLoadedAgainIsNotComparedAtAll) {
  class Wrong : public RecordedCode {
    std::optional<std::string> verify() override { return "wrong"; }
  } code;
  EXPECT_FALSE(observe(code).has_value());
  EXPECT_THAT(code.steps(), ::testing::ElementsAre("poison", "launch"));
}

}  // namespace
}  // namespace warptune::profiling::verification
