// warptune metrics: CUPTI answers about a chip without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/counters/metrics.h"
#include "tests/sanitizers.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(MetricsCommandTest, ListsTheCatalogueWithItsSetsAndAsksNoChip) {
  const nlohmann::json report = testing::Warptune().json_of({"metrics"});
  EXPECT_TRUE(report.at("chip").is_null());
  ASSERT_THAT(report.at("metrics"), SizeIs(profiling::counters::metric_catalogue().size()));
  std::vector<std::string> core;
  for (const nlohmann::json& metric : report.at("metrics")) {
    if (metric.at("core").get<bool>()) core.push_back(metric.at("metric"));
    EXPECT_TRUE(metric.at("available").is_null()) << metric;
  }
  EXPECT_THAT(core, ::testing::UnorderedElementsAreArray(profiling::counters::core_metrics()));
}

TEST(MetricsCommandTest, OfAChipItSaysThePassesOfTheSetsAndWhatTheChipLacks) {
  if (tests::kAddressSanitizer) GTEST_SKIP() << "CUPTI's host library does not load under it";
  testing::Warptune warptune;
  const nlohmann::json report = warptune.json_of({"metrics", "--chip", "TU102"});
  EXPECT_EQ(report.at("chip").at("chip"), "TU102");
  EXPECT_GE(report.at("chip").at("full_passes"), report.at("chip").at("core_passes"));
  EXPECT_GE(report.at("chip").at("core_passes"), 1);
  std::size_t lacking = 0;
  for (const nlohmann::json& metric : report.at("metrics"))
    lacking += metric.at("available") == false ? 1U : 0U;
  const testing::ProgramRun text = warptune.run({"metrics", "--chip", "TU102"});
  EXPECT_THAT(text.out, HasSubstr("\nTU102: core set in "));
  std::size_t marked = 0;
  for (std::size_t at = 0; (at = text.out.find("not on TU102", at)) != std::string::npos; ++at) ++marked;
  EXPECT_EQ(marked, lacking);
  EXPECT_GT(lacking, 0U);
}

}  // namespace
}  // namespace warptune::tuner::commands
