#include "survey/injected/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace warptune::survey::injected {

namespace {

constexpr const char* kVariables[] = {
    "WARPTUNE_SURVEY_FOLDER", "WARPTUNE_SURVEY_CUPTI", "WARPTUNE_SURVEY_LIMIT",    "WARPTUNE_SURVEY_START",
    "WARPTUNE_SURVEY_STOP",   "WARPTUNE_SURVEY_TRACE", "WARPTUNE_SURVEY_PERIOD_MS"};

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() { clear(); }
  ~SettingsTest() override { clear(); }
  static void clear() {
    for (const char* name : kVariables) ::unsetenv(name);
  }
};

TEST_F(SettingsTest, WithoutVariablesThereIsNoFolder) {
  const Settings settings = read_settings();
  EXPECT_STREQ(settings.folder.data(), "");
  EXPECT_EQ(settings.limit, 4'000'000U);
  EXPECT_EQ(settings.period_ms, 200U);
  EXPECT_TRUE(settings.traced.kernels && settings.traced.driver && settings.traced.ranges);
  EXPECT_FALSE(settings.pinned);
}

TEST_F(SettingsTest, ReadsNumbersAndTexts) {
  ::setenv("WARPTUNE_SURVEY_FOLDER", "/tmp/there", 1);
  ::setenv("WARPTUNE_SURVEY_LIMIT", "12", 1);
  ::setenv("WARPTUNE_SURVEY_START", "18000000000000000000", 1);
  ::setenv("WARPTUNE_SURVEY_PERIOD_MS", "-5", 1);
  const Settings settings = read_settings();
  EXPECT_STREQ(settings.folder.data(), "/tmp/there");
  EXPECT_EQ(settings.limit, 12U);
  EXPECT_EQ(settings.start, 18'000'000'000'000'000'000U);
  EXPECT_EQ(settings.period_ms, 200U);  // The default, because it is not a number.
}

TEST_F(SettingsTest, ATextThatIsTooLongIsIgnored) {
  ::setenv("WARPTUNE_SURVEY_FOLDER", std::string(5000, 'x').c_str(), 1);
  EXPECT_STREQ(read_settings().folder.data(), "");
}

TEST_F(SettingsTest, OnlyNamedThingsAreTraced) {
  ::setenv("WARPTUNE_SURVEY_TRACE", "kernels,pinned", 1);
  const Settings settings = read_settings();
  EXPECT_TRUE(settings.traced.kernels);
  EXPECT_TRUE(settings.pinned);
  EXPECT_FALSE(settings.traced.copies);
  EXPECT_FALSE(settings.traced.runtime);
}

}  // namespace

}  // namespace warptune::survey::injected
