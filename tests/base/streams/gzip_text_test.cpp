#include "base/streams/gzip_text.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "base/error.h"

namespace warptune::base::streams {
namespace {

std::string gunzipped(std::string_view bytes) {
  std::string text;
  gunzip(bytes, "some.gz", [&](std::string_view piece) { text += piece; });
  return text;
}

// A text that does not compress well, so that the compressed bytes also come in several pieces.
std::string noise(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    text += static_cast<char>(state >> 24);
  }
  return text;
}

TEST(GzipTextTest, ATextOfAnySizeReturns) {
  for (const std::size_t size : {0U, 1U, 1000U, 3000000U}) {
    const std::string text = noise(size);
    const std::string packed = gzip(text);
    EXPECT_TRUE(is_gzip(packed));
    EXPECT_EQ(gunzipped(packed), text);
  }
}

TEST(GzipTextTest, PiecesAreOneText) {
  std::string packed;
  GzipWriter writer([&](std::string_view piece) { packed += piece; });
  const std::string text = noise(2000000);
  for (std::size_t at = 0; at < text.size(); at += 1000) writer.add(std::string_view(text).substr(at, 1000));
  EXPECT_GT(packed.size(), text.size() / 2) << "the writer does not hold the whole text";
  writer.finish();
  EXPECT_EQ(gunzipped(packed), text);
}

TEST(GzipTextTest, ATruncatedMemberIsAnInputError) {
  const std::string packed = gzip(noise(1000));
  EXPECT_THROW(gunzipped(packed.substr(0, packed.size() - 9)), InputError);
}

}  // namespace
}  // namespace warptune::base::streams
