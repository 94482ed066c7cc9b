#include "tuner/surveying/usual_names.h"

#include <gtest/gtest.h>

namespace warptune::tuner::surveying {
namespace {

TEST(UsualNames, SayWhichCommandTakesAFile) {
  EXPECT_EQ(command_by_name("a/add.wtcapture.zst", "survey"),
            "; its name is that of a captured launch, for warptune bench");
  EXPECT_EQ(command_by_name("app.wtsurvey.zst", "bench"),
            "; its name is that of a survey, for warptune survey");
  EXPECT_EQ(command_by_name("copy.wtrec.zst", "bench"),
            "; its name is that of a recording, for warptune profile");
  EXPECT_EQ(command_by_name("app.wtsurvey.zst", "survey"), "");
  EXPECT_EQ(command_by_name("app.zst", "bench"), "");
}

}  // namespace
}  // namespace warptune::tuner::surveying
