#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/rules.h"

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
  const std::string path = std::string(WARPTUNE_SOURCE_FOLDER) + "/docs/diagnosis.md";
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  const std::string text = file.str();
  const std::string begin = "<!-- rules -->\n";
  const std::string end = "<!-- end of rules -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t table = from + begin.size();
  if (std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path) << text.substr(0, table) << documented_table() << text.substr(to);
    return;
  }
  EXPECT_EQ(text.substr(table, to - table), documented_table())
      << "run the test with WARPTUNE_UPDATE_SNAPSHOTS=1 to update docs/diagnosis.md";
}

}  // namespace
}  // namespace warptune::profiling::diagnosis
