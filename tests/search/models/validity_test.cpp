#include "search/models/validity.h"

#include <gtest/gtest.h>

namespace warptune::search::models {
namespace {

using Eigen::MatrixXf;
using Eigen::VectorXf;

TEST(Validity, IsLowWhereNeighboursFailedAndHighElsewhere) {
  Validity validity;
  MatrixXf candidates(2, 3);
  candidates << 0.1F, 0.9F, 0.5F, 0.1F, 0.9F, 0.5F;
  validity.add_candidates(candidates.leftCols(2));
  validity.add_outcome(VectorXf::Constant(2, 0.1F), false);
  validity.add_outcome(VectorXf::Constant(2, 0.12F), false);
  validity.add_outcome(VectorXf::Constant(2, 0.9F), true);
  validity.add_candidates(candidates.rightCols(1));
  const VectorXf likely = validity.probabilities();
  EXPECT_LT(likely[0], 0.2F);
  EXPECT_GT(likely[1], 0.9F);
  EXPECT_GT(likely[2], likely[0]);
  EXPECT_LT((likely - validity.probabilities_of(candidates)).norm(), 1e-6F);
}

}  // namespace
}  // namespace warptune::search::models
