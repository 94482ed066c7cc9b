#include "tuner/covers/launch_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_templates/library.h"
#include "model/gpu_description.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::ElementsAre;

class LaunchShapeTest : public ::testing::Test {
 protected:
  kernel_templates::KernelDefinition definition_ = kernel_templates::load_kernel("sgemm", {});
  SizeRange range_ = parse_range("M=64..8192, N=64..8192, K=64..8192", "here");
  model::NamedValues configuration_ = definition_.default_configuration;

  LaunchShape shape(const model::NamedValues& problem = {}) const {
    return LaunchShape(definition_, range_, problem, model::fictional_gpu());
  }
  void set(const std::string& name, std::int64_t value) {
    for (auto& [known, present] : configuration_) {
      if (known == name) present = value;
    }
  }
};

TEST_F(LaunchShapeTest, TheGridSaysTheBlocksAndTheInnerSize) {
  set("BLOCK_M", 128);
  set("BLOCK_N", 64);
  set("SPLIT_K", 4);
  EXPECT_EQ(shape().blocks(configuration_, {129, 64, 1000}), 4.0 * 2.0 * 1.0);
  EXPECT_EQ(shape({{"BATCH", std::int64_t{3}}}).blocks(configuration_, {129, 64, 1000}), 24.0);
  EXPECT_THAT(shape().inner(), ElementsAre(2)) << "K";
  EXPECT_EQ(shape().blocks_text(configuration_), "4 * ceil_div(M, 128) * ceil_div(N, 64) * BATCH");
}

TEST_F(LaunchShapeTest, ConstraintsAreThoseOfTheSize) {
  set("BLOCK_M", 128);
  set("BLOCK_N", 128);
  EXPECT_TRUE(shape().allows(definition_.default_configuration, {1024, 1024, 1024}));
  set("BLOCK_M", 7);
  EXPECT_FALSE(shape().allows(configuration_, {1024, 1024, 1024})) << "no value of the parameter";
}

TEST_F(LaunchShapeTest, WithoutAGridThereAreNoBlocks) {
  definition_.launch.grid.clear();
  EXPECT_FALSE(shape().blocks(configuration_, {64, 64, 64}));
}

}  // namespace
}  // namespace warptune::tuner::covers
