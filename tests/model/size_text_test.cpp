#include "model/size_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace warptune::model {
namespace {

TEST(ParseSize, ReadsSuffixesAsPowersOf1024) {
  const std::pair<const char*, std::int64_t> table[] = {{"8k", 8192},
                                                        {"8K", 8192},
                                                        {"8Ki", 8192},
                                                        {"8ki", 8192},
                                                        {"1M", 1 << 20},
                                                        {"1Mi", 1 << 20},
                                                        {"2G", std::int64_t{1} << 31},
                                                        {"2Gi", std::int64_t{1} << 31},
                                                        {"1.5k", 1536},
                                                        {"0.5M", 1 << 19},
                                                        {"0k", 0}};
  for (const auto& [text, value] : table) EXPECT_EQ(parse_size(text), value) << text;
}

TEST(ParseSize, RefusesOtherTexts) {
  for (const char* text : {"", "k", "Ki", "8", "8i", "8kk", "8 k", "-8k", "0x8k", "1e3k", "8T", "1.0001k",
                           "f32", "9007199254740993G", "..k"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(SizeLike, TakesASuffixOnlyForAnInteger) {
  const Value integer = std::int64_t{1};
  EXPECT_EQ(size_like(std::string("8k"), integer), Value(std::int64_t{8192}));
  EXPECT_EQ(size_like(std::string("8k"), std::string("text")), Value(std::string("8k")));
  EXPECT_EQ(size_like(std::int64_t{4}, 0.5), Value(4.0));
  EXPECT_EQ(size_like(std::string("8k"), 0.5), std::nullopt);
  EXPECT_EQ(size_like(std::string("many"), integer), std::nullopt);
}

TEST(IsSize, ComparesAGivenSizeWithAnEntrysValue) {
  EXPECT_TRUE(is_size(std::string("8k"), std::int64_t{8192}));
  EXPECT_TRUE(is_size(std::int64_t{8192}, std::int64_t{8192}));
  EXPECT_FALSE(is_size(std::string("8k"), std::int64_t{8000}));
  EXPECT_FALSE(is_size(std::string("8k"), std::string("8192")));
}

}  // namespace
}  // namespace warptune::model
