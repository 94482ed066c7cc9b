#include "base/streams/limited_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace warptune::base::streams {
namespace {

constexpr std::uint64_t kLimit = 3 << 20;

std::string message_for(const std::filesystem::path& path) {
  try {
    read_limited_file(path, kLimit, "a test");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LimitedFile, IsReadWholeUpToTheLimit) {
  const tests::TemporaryFolder folder;
  const std::string largest(kLimit, 'x');
  std::ofstream(folder / "largest") << largest;
  std::ofstream(folder / "empty");
  EXPECT_EQ(read_limited_file(folder / "largest", kLimit, "a test"), largest);
  EXPECT_EQ(read_limited_file(folder / "empty", kLimit, "a test"), "");
}

TEST(LimitedFile, IsRefusedAboveTheLimitAndWithoutAnEnd) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "larger") << std::string(kLimit + 1, 'x');
  for (const std::filesystem::path& path : {folder / "larger", std::filesystem::path("/dev/zero")})
    EXPECT_EQ(message_for(path), path.string() + ": is larger than 3 MiB, the limit of a test");
}

TEST(LimitedFile, SaysWhyItCannotBeRead) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(message_for(folder.path()), folder.path().string() + ": expected a file, found a folder");
  EXPECT_THAT(message_for(folder / "none"), ::testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace warptune::base::streams
