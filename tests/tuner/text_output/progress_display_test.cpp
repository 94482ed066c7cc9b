#include "tuner/text_output/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

namespace warptune::tuner::text_output {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

session::SessionProgress half_done() {
  session::SessionProgress progress;
  progress.evaluated = 50;
  progress.space_size = 100;
  progress.elapsed_s = 10.0;
  progress.fraction = 0.5;
  progress.best_value = 12300.0;
  progress.best_time = {12300.0, 12200.0, 12400.0};
  progress.best = {{"BLOCK", std::int64_t{128}}};
  progress.by_status = {
      {model::Status::kMeasured, 47}, {model::Status::kCompileFailed, 2}, {model::Status::kWrongResult, 1}};
  return progress;
}

// The text that a display writes into a file.
class Written {
 public:
  std::FILE* stream() const { return file_.get(); }
  std::string text() const {
    std::fflush(file_.get());
    std::rewind(file_.get());
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file_.get()));
    return text;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_{std::tmpfile()};
};

TEST(ProgressDisplayTest, ALineSaysShareRateBestFailuresAndTimeLeft) {
  EXPECT_EQ(progress_line(half_done(), false, 0),
            "50% | 50 evaluated | 5.0/s | best 12.3 us (12.2 us to 12.4 us) | failed 3 (compile_failed 2, "
            "wrong_result 1) "
            "| 10 s left | BLOCK=128");
}

TEST(ProgressDisplayTest, ALongTimeLeftIsInMinutesAndHours) {
  session::SessionProgress progress = half_done();
  progress.elapsed_s = 300.0;
  EXPECT_THAT(progress_line(progress, false, 0), HasSubstr(" | 5 min left | "));
  progress.elapsed_s = 3900.0;
  EXPECT_THAT(progress_line(progress, false, 0), HasSubstr(" | 1 h 5 min left | "));
}

TEST(ProgressDisplayTest, DroppedOnesAreNoFailures) {
  session::SessionProgress progress = half_done();
  progress.by_status[model::Status::kDropped] = 20;
  EXPECT_THAT(progress_line(progress, false, 0),
              HasSubstr(" | dropped 20 | failed 3 (compile_failed 2, wrong_result 1) | "));
}

TEST(ProgressDisplayTest, TheBestByAnotherObjectiveHasItsValueAndItsTime) {
  session::SessionProgress progress = half_done();
  progress.by_time = false;
  progress.best_value = 0.5;
  EXPECT_THAT(progress_line(progress, false, 0), HasSubstr("| best 0.5, 12.3 us (12.2 us to 12.4 us) |"));
}

TEST(ProgressDisplayTest, ABarFillsWithTheShare) {
  EXPECT_THAT(progress_line(half_done(), true, 0), ::testing::StartsWith("[##########..........] 50% | "));
  session::SessionProgress done = half_done();
  done.fraction = 1.0;
  EXPECT_THAT(progress_line(done, true, 0), ::testing::StartsWith("[####################] 100% | "));
}

TEST(ProgressDisplayTest, AShareUnknownShowsNeitherBarNorTimeLeft) {
  session::SessionProgress progress = half_done();
  progress.fraction.reset();
  EXPECT_EQ(progress_line(progress, true, 0),
            "50 evaluated | 5.0/s | best 12.3 us (12.2 us to 12.4 us) | failed 3 (compile_failed 2, "
            "wrong_result 1) | BLOCK=128");
}

TEST(ProgressDisplayTest, EarlierSessionsShowAsKnown) {
  session::SessionProgress progress;
  progress.evaluated = 3;
  progress.known = 7;
  EXPECT_EQ(progress_line(progress, false, 0), "3 evaluated (+7 known)");
}

TEST(ProgressDisplayTest, NoLineIsWiderThanTheTerminal) {
  for (const std::size_t width : {1U, 20U, 79U}) {
    EXPECT_EQ(progress_line(half_done(), true, width).size(), width);
  }
  EXPECT_LT(progress_line(half_done(), true, 500).size(), 500U);
}

TEST(ProgressDisplayTest, APipeGetsPlainLinesWithoutEscapes) {
  const Written written;
  {
    ProgressDisplay display(written.stream(), false, false);
    display.on_event(half_done());
    display.on_event(half_done());  // It follows the first event at once, so it is left out.
    display.on_event(session::FinalsBegan{3, 15});
  }
  EXPECT_EQ(written.text(),
            progress_line(half_done(), false, 0) + "\nconfirming the best 3 in 15 interleaved rounds\n");
}

TEST(ProgressDisplayTest, ATerminalGetsOneLineThatIsRedrawnAndClearedAtTheEnd) {
  const Written written;
  {
    ProgressDisplay display(written.stream(), true, false);
    display.on_event(half_done());
  }
  const std::string text = written.text();
  EXPECT_THAT(text, ::testing::StartsWith("\r\x1b[2K[####"));
  EXPECT_THAT(text, ::testing::EndsWith("\r\x1b[2K"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

TEST(ProgressDisplayTest, AQuietDisplayWritesNothing) {
  const Written written;
  {
    ProgressDisplay display(written.stream(), false, true);
    display.on_event(half_done());
    display.on_event(session::FinalsBegan{3, 15});
  }
  EXPECT_EQ(written.text(), "");
}

TEST(ProgressDisplayTest, NothingIsShownBeforeTheFirstEvaluation) {
  const Written written;
  ProgressDisplay display(written.stream(), false, false);
  display.on_event(session::SessionProgress{});
  EXPECT_EQ(written.text(), "");
}

TEST(StepProgressTest, SaysHowManyAreDoneAndWhatIsLeft) {
  EXPECT_EQ(steps_line(0, 60, "run", 3.0), "0 of 60 runs | 0%");
  EXPECT_EQ(steps_line(15, 60, "run", 10.0), "15 of 60 runs | 25% | 30 s left");
  EXPECT_EQ(steps_line(1, 1, "run", 10.0), "1 of 1 run | 100%");
  EXPECT_EQ(steps_line(0, 0, "run", 1.0), "0 of 0 runs");
}

TEST(StepProgressTest, RedrawsALineOfATerminalAndRemovesIt) {
  const Written written;
  {
    StepProgress progress(written.stream(), true, "run");
    progress.show(1, 4);  // Too early to be worth a line.
    ::usleep(120'000);
    progress.show(2, 4);
  }
  EXPECT_EQ(written.text(), "\r\x1b[2K2 of 4 runs | 50% | 0 s left\r\x1b[2K");
}

}  // namespace
}  // namespace warptune::tuner::text_output
