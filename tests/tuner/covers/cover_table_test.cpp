#include "tuner/covers/cover_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warptune::tuner::covers {
namespace {

CoverRow row_of(std::int64_t value, model::Status status, double median_ns) {
  model::Measurement row;
  row.configuration = {{"A", value}};
  row.status = status;
  row.time = model::TimeSummary{median_ns};
  return {row};
}

TEST(CoverTableTest, ADroppedConfigurationIsNotWithinALimitButItsLossIsEstimated) {
  CoverTable table;
  table.add({64}, 1.0, false,
            {row_of(0, model::Status::kMeasured, 100.0), row_of(1, model::Status::kDropped, 140.0),
             row_of(2, model::Status::kMeasured, 120.0)});
  EXPECT_TRUE(std::isinf(table.loss(1, 0).value()));
  EXPECT_DOUBLE_EQ(table.estimated_loss(1, 0).value(), 0.4);
  EXPECT_DOUBLE_EQ(table.estimated_loss(2, 0).value(), table.loss(2, 0).value());
  EXPECT_FALSE(table.estimated_loss(table.add_configuration({{"A", std::int64_t{3}}}), 0));
}

TEST(CoverTableTest, AnExcludedConfigurationHasNoEstimate) {
  CoverTable table;
  table.demanded = model::outputs::Reproducibility::parse("bits");
  CoverRow other = row_of(1, model::Status::kMeasured, 140.0);
  other.outputs = OutputsKnown::kUnmet;
  table.add({64}, 1.0, false, {row_of(0, model::Status::kMeasured, 100.0), other});
  ASSERT_TRUE(table.is_excluded(1));
  EXPECT_TRUE(std::isinf(table.estimated_loss(1, 0).value()));
}

}  // namespace
}  // namespace warptune::tuner::covers
