#include "profiling/counters/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace warptune::profiling::counters {
namespace {

TEST(MetricCatalogue, HasATitleAndADescriptionForEachName) {
  std::set<std::string_view> names;
  for (const MetricInfo& metric : metric_catalogue()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " occurs twice";
    EXPECT_FALSE(metric.title.empty()) << metric.name;
    EXPECT_FALSE(metric.description.empty()) << metric.name;
  }
}

}  // namespace
}  // namespace warptune::profiling::counters
