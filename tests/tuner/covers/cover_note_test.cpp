#include "tuner/covers/cover_note.h"

#include <gtest/gtest.h>

#include <optional>

namespace warptune::tuner::covers {
namespace {

TEST(CoverNoteTest, ANoteIsFoundAtTheEndOfABudget) {
  const CoverNote note{0.025, 2.5, true, "M=64..8192 log2, K={1,2}"};
  EXPECT_EQ(to_text(note), "cover 2.5% weight 2.5 held back: M=64..8192 log2, K={1,2}");
  const std::optional<CoverNote> read = note_of("24, " + to_text(note));
  ASSERT_TRUE(read);
  EXPECT_DOUBLE_EQ(read->limit_share, 0.025);
  EXPECT_DOUBLE_EQ(read->weight, 2.5);
  EXPECT_TRUE(read->held_back);
  EXPECT_EQ(read->range, note.range);
  EXPECT_EQ(to_text(CoverNote{0.05, 1.0, false, "M=1"}), "cover 5%: M=1");
}

TEST(CoverNoteTest, ANoteSaysWhatTheOutputsMustBe) {
  const CoverNote note{0.05, 1.0, true, "M=64..8192 log2", "relative=1e-05"};
  EXPECT_EQ(to_text(note), "cover 5% held back reproducible=relative=1e-05: M=64..8192 log2");
  const std::optional<CoverNote> read = note_of("24, " + to_text(note));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->held_back);
  EXPECT_EQ(read->reproducible, "relative=1e-05");
  EXPECT_EQ(read->range, note.range);
  EXPECT_FALSE(note_of("24, cover 5% reproducible=colours: M=1"));
  EXPECT_FALSE(note_of("24, cover 5% reproducible=: M=1"));
}

TEST(CoverNoteTest, OtherBudgetsHaveNoNote) {
  for (const char* budget : {"", "60s", "60s, until 0.9roof", "24, cover", "24, cover x%: M=1",
                             "24, cover 5% M=1", "24, cover 5% weight -1: M=1", "24, cover nan%: M=1"})
    EXPECT_FALSE(note_of(budget)) << budget;
}

}  // namespace
}  // namespace warptune::tuner::covers
