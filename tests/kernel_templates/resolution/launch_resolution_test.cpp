// What a definition says about a launch besides its extents.
#include "kernel_templates/resolution/launch_resolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::resolution {
namespace {

TEST(Launches, MayBeCooperative) {
  const auto plan_of = [](const std::string& launch) {
    const KernelInstance instance(load_embedded(with(kScaleToml, "[launch]", "[launch]\n" + launch)), {},
                                  model::fictional_gpu());
    return instance.launch_plan({{"BLOCK", std::int64_t{64}}, {"FACTOR", std::int64_t{2}}}).value();
  };
  EXPECT_TRUE(plan_of("cooperative = \"FACTOR == 2\"").main_launch()->cooperative);
  EXPECT_FALSE(plan_of("cooperative = \"FACTOR == 3\"").main_launch()->cooperative);
  EXPECT_FALSE(plan_of("").main_launch()->cooperative);
}

TEST(Launches, MayPreferAShareOfSharedMemory) {
  const auto plan_of = [](const std::string& launch) {
    const KernelInstance instance(load_embedded(with(kScaleToml, "[launch]", "[launch]\n" + launch)), {},
                                  model::fictional_gpu());
    return instance.launch_plan({{"BLOCK", std::int64_t{64}}, {"FACTOR", std::int64_t{2}}});
  };
  EXPECT_EQ(plan_of("carveout = \"10 * FACTOR\"")->main_launch()->carveout, 20);
  EXPECT_EQ(plan_of("carveout = \"FACTOR - 3\"")->main_launch()->carveout, std::nullopt);
  EXPECT_EQ(plan_of("")->main_launch()->carveout, std::nullopt);
  const auto refused = plan_of("carveout = \"100 * FACTOR\"");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "carveout is 200, expected a percentage from 0 to 100, or -1");
  EXPECT_THROW(plan_of("carveout = \"UNKNOWN\""), base::InputError);
  EXPECT_THROW(plan_of("carveout = \"'most'\""), base::InputError);
}

TEST(Launches, MayPreferHowTheBlocksOfAClusterAreDistributed) {
  const auto plan_of = [](const std::string& launch) {
    const KernelInstance instance(load_embedded(with(kScaleToml, "[launch]", "[launch]\n" + launch)), {},
                                  model::fictional_gpu());
    return instance.launch_plan({{"BLOCK", std::int64_t{64}}, {"FACTOR", std::int64_t{2}}});
  };
  const auto scheduling_of = [&](const std::string& launch) {
    return plan_of(launch)->main_launch()->cluster_scheduling;
  };
  EXPECT_EQ(scheduling_of(""), ClusterScheduling::kDefault);
  EXPECT_EQ(scheduling_of("cluster_scheduling = \"default\""), ClusterScheduling::kDefault);
  EXPECT_EQ(scheduling_of("cluster_scheduling = \"spread\""), ClusterScheduling::kSpread);
  EXPECT_EQ(scheduling_of("cluster_scheduling = \"'load_balancing'\""), ClusterScheduling::kLoadBalancing);
  const auto refused = plan_of("cluster_scheduling = \"'near'\"");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason,
            "cluster_scheduling is near, expected one of default, spread, load_balancing");
  EXPECT_THROW(plan_of("cluster_scheduling = \"near\""), base::InputError);
  EXPECT_THROW(plan_of("cluster_scheduling = \"FACTOR\""), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates::resolution
