#include "base/streams/zstd_text.h"

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"

namespace warptune::base::streams {
namespace {

using ::testing::HasSubstr;

std::string unpacked(std::string_view bytes) {
  std::string text;
  zstd_decompress(bytes, "some.zst", "thing", [&](std::string_view piece) { text += piece; });
  return text;
}

std::string refusal_of(std::string_view bytes) {
  try {
    unpacked(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ZstdTextTest, ATextOfAnySizeReturns) {
  for (const std::size_t size : {0U, 1U, 1000U, 1000000U}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * i % 251);
    for (const int level : {3, kSmallestZstdLevel}) EXPECT_EQ(unpacked(zstd_compress(text, level)), text);
  }
}

TEST(ZstdTextTest, SeveralFramesAreOneText) {
  EXPECT_EQ(unpacked(zstd_compress("one") + zstd_compress(" two")), "one two");
}

TEST(ZstdTextTest, MessagesSayWhatWasExpectedAndWhatIsWrong) {
  const std::string whole = zstd_compress(std::string(1000, 'x') + "y");
  EXPECT_THAT(refusal_of(""), HasSubstr("some.zst: expected a zstd-compressed thing, found an empty file"));
  EXPECT_THAT(refusal_of("text"), HasSubstr("expected a zstd-compressed thing, found"));
  EXPECT_THAT(refusal_of(whole.substr(0, whole.size() - 1)), HasSubstr("cut off"));
  std::string damaged = whole;
  damaged.back() ^= 1;  // The checksum.
  EXPECT_THAT(refusal_of(damaged), HasSubstr("damaged"));
}

}  // namespace
}  // namespace warptune::base::streams
