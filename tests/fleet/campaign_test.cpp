#include "fleet/campaign.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet {
namespace {

Campaign one_task() {
  TaskClass sgemm{"sgemm", "0123"};
  sgemm.gpu.min_capability = 80;
  sgemm.options.budget = "200";
  return {"nightly", {sgemm}, {{0, {{"M", std::int64_t{512}}}}}};
}

TEST(CampaignTest, TheDigestCoversEverything) {
  const std::string digest = one_task().digest();
  EXPECT_EQ(one_task().digest(), digest);
  Campaign other = one_task();
  other.tasks.front().sizes.front().second = std::int64_t{513};
  EXPECT_NE(other.digest(), digest);
  other = one_task();
  other.classes.front().options.seed = 2;
  EXPECT_NE(other.digest(), digest);
  other = one_task();
  other.classes.front().gpu.min_capability = 90;
  EXPECT_NE(other.digest(), digest);
  other = one_task();
  other.classes.front().options.reproducible = "bits";
  EXPECT_NE(other.digest(), digest);
}

// Stores have campaigns of earlier versions, with their digests.
TEST(CampaignTest, AnOptionThatWasAddedLaterIsLeftOutUnlessItIsSet) {
  EXPECT_EQ(model::encoding::json_of(one_task()).dump().find("reproducible"), std::string::npos);
  Campaign demanding = one_task();
  demanding.classes.front().options.reproducible = "runs";
  Campaign read = one_task();
  model::encoding::read(model::encoding::json_of(demanding), read);
  EXPECT_EQ(read, demanding);
  model::encoding::read(model::encoding::json_of(one_task()), read);
  EXPECT_EQ(read, one_task()) << "what was read before is not kept";
}

TEST(CampaignTest, JsonGivesTheSameCampaignBack) {
  Campaign read;
  model::encoding::read(model::encoding::json_of(one_task()), read);
  EXPECT_EQ(read, one_task());
}

TEST(CampaignTest, TasksHaveClassesOfTheCampaign) {
  Campaign campaign = one_task();
  EXPECT_NO_THROW(campaign.require_valid());
  campaign.tasks.front().class_index = campaign.classes.size();
  EXPECT_THROW(campaign.require_valid(), base::InputError);
  campaign = one_task();
  campaign.name = "../up";
  EXPECT_THROW(campaign.require_valid(), base::InputError);
}

}  // namespace
}  // namespace warptune::fleet
