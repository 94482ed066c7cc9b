#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/rules.h"
#include "tests/documented_table.h"

namespace warptune::profiling::diagnosis {
namespace {

TEST(DiagnosisMetrics, AreAllInTheFullSet) {
  std::set<std::string> known;
  for (const counters::MetricInfo& metric : counters::metric_catalogue()) known.emplace(metric.name);
  for (const std::string& name : diagnosis_metrics()) EXPECT_TRUE(known.contains(name)) << name;
}

// Returns the table that docs/diagnosis.md must have between its two marks.
std::string documented_table() {
  std::ostringstream text;
  text << "| rule | triggers when | bound on the gain | remedy | limits | source "
          "|\n|---|---|---|---|---|---|\n";
  for (const RuleInfo& rule : diagnosis_rules()) {
    text << "| `" << rule.id << "` | " << rule.trigger << " | " << rule.gain << " | " << rule.remedy << " | "
         << rule.limits << " | " << rule.source << " |\n";
  }
  return text.str();
}

TEST(DiagnosisRules, AreDocumentedAsTheyAre) {
  tests::expect_documented_table(WARPTUNE_SOURCE_FOLDER, "docs/diagnosis.md", "rules", documented_table());
}

}  // namespace
}  // namespace warptune::profiling::diagnosis
