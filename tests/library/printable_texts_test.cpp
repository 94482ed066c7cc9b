// Texts of compilers and kernels reach a program only as characters that a terminal may show.
#include <gtest/gtest.h>

#include <string>

#include "library/c_errors.h"
#include "library/include/warptune_tuning.h"
#include "library/tuning/tuning_events.h"
#include "tuner/session/session_events.h"

namespace warptune::library {
namespace {

constexpr const char* kPrinted = "kernel.cu(1): \x1b[31merror\nnext";
constexpr const char* kShown = "kernel.cu(1): \\u001b[31merror\nnext";

TEST(PrintableTextsTest, LastErrorHasNoControlCharacters) {
  EXPECT_EQ(failed(WARPTUNE_ERROR_INPUT, kPrinted), WARPTUNE_ERROR_INPUT);
  EXPECT_STREQ(last_error(), kShown);
}

TEST(PrintableTextsTest, EventsHaveNoControlCharacters) {
  tuning::TuningEvents events;
  model::Measurement row;
  row.status = model::Status::kCompileFailed;
  row.reason = kPrinted;
  tuner::session::SessionEvent stored = tuner::session::MeasurementStored{.measurement = row};
  events.on_event(stored);
  EXPECT_EQ(events.next(0.0).text, kShown);
  events.on_event(tuner::session::SessionWarning{kPrinted});
  EXPECT_EQ(events.next(0.0).text, kShown);
}

}  // namespace
}  // namespace warptune::library
