#include "profiling/verification/finalist_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::profiling::verification {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

timing::FinalistTiming with_error(double absolute, double ulp) {
  timing::FinalistTiming timing;
  timing.samples_ns = {1000.0};
  timing.errors = {{"error_max_absolute", absolute}, {"error_max_ulp", ulp}};
  return timing;
}

TEST(FinalistErrorsTest, OneThatIsTenTimesAsFarOffAsTheOthersIsImprecise) {
  const auto imprecise = imprecise_finalists(
      {with_error(1e-6, 4), with_error(3e-6, 9), with_error(2e-5, 70), with_error(2e-6, 6)});
  ASSERT_THAT(imprecise, SizeIs(1));
  EXPECT_EQ(imprecise[0].index, 2U);
  EXPECT_EQ(imprecise[0].error, 2e-5);
  EXPECT_EQ(imprecise[0].median_error, 2e-6);
  EXPECT_THAT(imprecise_finalists({with_error(1e-6, 4), with_error(9e-6, 40)}), IsEmpty());
}

TEST(FinalistErrorsTest, OneRoundingBesideExactResultsIsNotTold) {
  EXPECT_THAT(imprecise_finalists({with_error(0.0, 0), with_error(0.0, 0), with_error(1e-7, 1)}), IsEmpty());
  EXPECT_THAT(imprecise_finalists({with_error(0.0, 0), with_error(0.0, 0), with_error(3e-7, 2)}), SizeIs(1));
  EXPECT_THAT(imprecise_finalists({with_error(0.0, 0), with_error(0.0, 5)}), IsEmpty());
}

TEST(FinalistErrorsTest, WhatHasNoErrorsOrIsWrongTakesNoPart) {
  timing::FinalistTiming wrong = with_error(1.0, 1e6);
  wrong.fault = model::Rejection{model::Status::kWrongResult, "wrong"};
  EXPECT_THAT(imprecise_finalists({with_error(1e-6, 4), wrong, timing::FinalistTiming()}), IsEmpty());
  EXPECT_THAT(imprecise_finalists({with_error(1.0, 1e6)}), IsEmpty());  // There are no others.
  EXPECT_THAT(imprecise_finalists({}), IsEmpty());
}

TEST(KeepLargestErrorsTest, EachErrorIsTheLargest) {
  model::Counters errors;
  keep_largest_errors(errors, {{"error_max_ulp", 2.0}, {"error_max_absolute", 0.5}});
  keep_largest_errors(errors, {{"error_max_ulp", 1.0}, {"error_max_absolute", 0.75}});
  EXPECT_THAT(errors, ::testing::ElementsAre(::testing::Pair("error_max_absolute", 0.75),
                                             ::testing::Pair("error_max_ulp", 2.0)));
}

}  // namespace
}  // namespace warptune::profiling::verification
