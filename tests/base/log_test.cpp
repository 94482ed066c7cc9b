#include "base/log.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::base {
namespace {

TEST(LogTest, WhatMustNotReachATerminalIsEscaped) {
  ::testing::internal::CaptureStderr();
  set_up_log("debug", "worker");
  log_warning("a\x1b[2Jb");
  log_info("c\x9b");
  log_debug("d\xC2\x9b");
  set_up_log("warn");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("a\\u001b[2Jb\n"), std::string::npos) << text;
  EXPECT_NE(text.find("c\\x9b\n"), std::string::npos) << text;
  EXPECT_NE(text.find("d\\u009b\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(LogTest, AnUnknownLevelIsRefused) { EXPECT_THROW(set_up_log("loud"), InputError); }

}  // namespace
}  // namespace warptune::base
