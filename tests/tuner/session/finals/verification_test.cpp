#include "tuner/session/finals/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/json_output/measurement_json.h"

namespace warptune::tuner::session::finals {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

profiling::timing::Confirmation confirmation_of(std::uint64_t launches, std::uint64_t deviating = 0) {
  profiling::timing::Confirmation confirmation;
  confirmation.launches = launches;
  confirmation.deviating = deviating;
  return confirmation;
}

model::Measurement measured_with(const model::Counters& counters) {
  model::Measurement measurement;
  measurement.status = model::Status::kMeasured;
  measurement.counters = counters;
  return measurement;
}

TEST(Verification, SaysWithWhatChanceAnErrorWouldHaveBeenFound) {
  EXPECT_EQ(
      verification_text(measured_with(counters_of(confirmation_of(300)))),
      "verified in 300 further launches on new inputs: an error in one of 100 launches would have been found "
      "with a chance of 95 %\n");
  // A slow kernel is launched a few times only.
  EXPECT_THAT(
      verification_text(measured_with(counters_of(confirmation_of(3)))),
      HasSubstr("3 further launches on new inputs: an error in one of 100 launches would have been found "
                "with a chance of 2 %"));
}

TEST(Verification, SaysThatARowWasNeverConfirmedAndNothingOfReplayedRows) {
  EXPECT_EQ(verification_of(measured_with({{"dram__bytes.sum", 1.0}})), std::nullopt);
  EXPECT_THAT(verification_text(measured_with({})), HasSubstr("not confirmed: "));
  EXPECT_THAT(verification_text(measured_with(counters_of(confirmation_of(0)))),
              HasSubstr("not confirmed: "));
  model::Measurement replayed = measured_with({});
  replayed.source = model::RowSource::kReplayed;
  EXPECT_EQ(verification_text(replayed), "");
}

TEST(Verification, TellsResultsThatDifferFromLaunchToLaunchAndByHowMuch) {
  profiling::timing::Confirmation confirmation = confirmation_of(300, 2);
  EXPECT_THAT(verification_text(measured_with(counters_of(confirmation))),
              HasSubstr("nondeterministic: 2 of 300 launches gave other bits\n"));
  confirmation.deviation_of_tolerance = 0.03125;
  EXPECT_THAT(verification_text(measured_with(counters_of(confirmation))),
              HasSubstr("gave other bits, at most 0.031 of the tolerance apart\n"));
  EXPECT_THAT(verification_text(measured_with(counters_of(confirmation_of(300)))),
              Not(HasSubstr("nondeterministic")));
}

TEST(Verification, OfRowsThatKeepNoChanceIsComputed) {
  const std::optional<Verification> verification =
      verification_of(measured_with({{"verified_launches", 300.0}, {"deviating_launches", 0.0}}));
  ASSERT_TRUE(verification);
  EXPECT_NEAR(verification->chance_of_detection, 0.951, 1e-3);
}

TEST(Verification, IsInTheJsonOfAMeasurement) {
  profiling::timing::Confirmation confirmation = confirmation_of(300, 2);
  confirmation.deviation_of_tolerance = 0.5;
  const nlohmann::ordered_json report =
      json_output::measurement_json(measured_with(counters_of(confirmation)));
  const auto& verification = report.at("verification");
  EXPECT_EQ(verification.at("launches"), 300.0);
  EXPECT_EQ(verification.at("chance_of_detection").at("one_in"), 100.0);
  EXPECT_NEAR(verification.at("chance_of_detection").at("chance").get<double>(), 0.951, 1e-3);
  EXPECT_EQ(verification.at("nondeterministic"), true);
  EXPECT_EQ(verification.at("deviating_launches"), 2.0);
  EXPECT_EQ(verification.at("deviation_of_tolerance"), 0.5);
  EXPECT_TRUE(json_output::measurement_json(measured_with({})).at("verification").is_null());
}

}  // namespace
}  // namespace warptune::tuner::session::finals
