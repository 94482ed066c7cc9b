#include "base/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace warptune::base {
namespace {

using ::testing::HasSubstr;

TEST(SharedLibrary, CallsAFunctionOfALoadedLibrary) {
  const SharedLibrary math({"libnothing.so", "libm.so.6"}, {}, "");
  EXPECT_EQ(math.path(), "libm.so.6");
  EXPECT_DOUBLE_EQ(math.function<double(double)>("sqrt")(9.0), 3.0);
}

TEST(SharedLibrary, SaysWhatWasTriedAndWhatToDoWhenNoneLoads) {
  try {
    const SharedLibrary library({"libfirst_missing.so", "libsecond_missing.so"}, {"/nowhere"}, "install it");
    FAIL() << "loaded " << library.path();
  } catch (const MachineError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kMachineCannot);
    EXPECT_STREQ(error.what(), "libfirst_missing.so, libsecond_missing.so not found; install it");
  }
}

TEST(SharedLibrary, GivesTheLoadersTextWhenAFileIsNoLibrary) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "warptune_no_library";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libbroken.so") << "no library";
  try {
    const SharedLibrary library({"libbroken.so"}, {folder.string()}, "install it");
    FAIL() << "loaded " << library.path();
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(HasSubstr("libbroken.so cannot be loaded"), HasSubstr("libbroken.so: ")));
  }
  std::filesystem::remove_all(folder);
}

TEST(SharedLibrary, NamesAFunctionThatIsMissing) {
  const SharedLibrary math({"libm.so.6"}, {}, "");
  EXPECT_EQ(math.find_symbol("no_such_function"), nullptr);
  try {
    math.function<void()>("no_such_function");
    FAIL() << "found it";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("libm.so.6 has no function no_such_function"));
  }
}

}  // namespace
}  // namespace warptune::base
