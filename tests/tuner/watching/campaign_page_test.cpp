#include "tuner/watching/campaign_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/campaign_data.h"
#include "tests/tuner/watching/http_client.h"

namespace warptune::tuner::watching {
namespace {

using fleet::testing::facts_of;
using ::testing::HasSubstr;
using ::testing::Not;

class CampaignPageTest : public ::testing::Test {
 protected:
  void show(const std::string& trouble = "") {
    page_.show(fleet::campaign_status(facts_), facts_.campaign, trouble);
  }
  ReceivedAnswer get(const std::string& host = "127.0.0.1", const std::string& name = "") const {
    const ServedAddress served = address_in(page_.address());
    return fetch(served.port, served.path + name, host);
  }

  fleet::CampaignFacts facts_ = facts_of(fleet::testing::two_classes());
  CampaignPage page_{std::nullopt};
};

TEST_F(CampaignPageTest, ServesTheNewestStateAndReloads) {
  EXPECT_THAT(get().body, HasSubstr("The campaign is read."));
  show();
  const ReceivedAnswer first = get();
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.body, HasSubstr("nightly: 0 of 3 tasks done, 3 open"));
  EXPECT_THAT(first.body, HasSubstr("http-equiv=\"refresh\""));
  for (fleet::TaskRecord& task : facts_.tasks) task.state = fleet::TaskState::kCancelled;
  show();
  EXPECT_THAT(get().body, HasSubstr("3 cancelled"));
  EXPECT_THAT(get().body, Not(HasSubstr("http-equiv=\"refresh\""))) << "the campaign is over";
}

TEST_F(CampaignPageTest, KnowsWhetherABrowserWaitsForTheNewestState) {
  show();
  EXPECT_FALSE(page_.is_awaited()) << "nobody has loaded the page";
  get();
  EXPECT_FALSE(page_.is_awaited());
  show();
  EXPECT_TRUE(page_.is_awaited());
  get("127.0.0.1", "data");
  EXPECT_TRUE(page_.is_awaited());
  get();
  EXPECT_FALSE(page_.is_awaited());
}

TEST_F(CampaignPageTest, TextsAreEscaped) {
  facts_.nodes[0].node.name = "<script>alert(1)</script>";
  show("the store & \"its host\" are away");
  const std::string body = get().body;
  EXPECT_THAT(body, Not(HasSubstr("<script>")));
  EXPECT_THAT(body, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(body, HasSubstr("the store &amp; &quot;its host&quot; are away"));
}

TEST_F(CampaignPageTest, OnlyTheSecretAddressIsServed) {
  show();
  EXPECT_EQ(get("example.com").status, 403);
  EXPECT_EQ(get("127.0.0.1", "data").status, 404);
  EXPECT_EQ(fetch(address_in(page_.address()).port, "/another/").status, 403);
}

}  // namespace
}  // namespace warptune::tuner::watching
