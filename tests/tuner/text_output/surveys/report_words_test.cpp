#include "tuner/text_output/surveys/report_words.h"

#include <gtest/gtest.h>

namespace warptune::tuner::text_output::surveys {
namespace {

TEST(ReportWords, WriteTimesSharesAndRowsThatAreLeftOut) {
  EXPECT_EQ(survey_time_text(12'300), "12.3 us");
  EXPECT_EQ(survey_percent(0.126), "13 %");
  EXPECT_EQ(share_of(1, 4), 0.25);
  EXPECT_EQ(share_of(1, 0), 0.0);
  EXPECT_EQ(idle_cause_text(survey::analysis::IdleCause::kLaunching), "launching");
  EXPECT_EQ(more_rows_text(kTableRows, "more row"), "");
  EXPECT_EQ(more_rows_text(kTableRows + 1, "more row"), "1 more row\n");
  EXPECT_EQ(more_rows_text(kTableRows + 2, "more row"), "2 more rows\n");
}

TEST(ReportWords, CutLongNamesBetweenCharacters) {
  EXPECT_EQ(cut_name("forward", 7), "forward");
  EXPECT_EQ(cut_name("forward", 6), "for...");
  EXPECT_EQ(cut_name("a\nb", 10), "a\\nb");
  EXPECT_EQ(cut_name("Gr\xC3\xB6\xC3\x9F"
                     "e der Schritte",
                     7),
            "Gr\xC3\xB6...");
  EXPECT_EQ(cut_name("Gr\xC3\xB6\xC3\x9F"
                     "e der Schritte",
                     6),
            "Gr...");
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
