#include "fleet/campaign.h"

#include <gtest/gtest.h>

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
}

TEST(CampaignTest, JsonGivesTheSameCampaignBack) {
  Campaign read;
  model::encoding::read(model::encoding::json_of(one_task()), read);
  EXPECT_EQ(read, one_task());
}

TEST(CampaignTest, NamesAreSafeAsNamesOfFiles) {
  for (const char* name : {"nightly", "h200-2026", "A_1"}) EXPECT_NO_THROW(require_campaign_name(name));
  for (const char* name : {"", "-x", "../up", "a b", "a/b", ".hidden"})
    EXPECT_THROW(require_campaign_name(name), base::InputError) << name;
  EXPECT_NO_THROW(require_campaign_name(std::string(64, 'a')));
  EXPECT_THROW(require_campaign_name(std::string(65, 'a')), base::InputError);
}

}  // namespace
}  // namespace warptune::fleet
