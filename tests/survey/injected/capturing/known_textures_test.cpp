#include "survey/injected/capturing/known_textures.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace warptune::survey::injected::capturing {

namespace {

class KnownTexturesTest : public ::testing::Test {
 protected:
  void add(unsigned long long handle, CUresult result = CUDA_SUCCESS) {
    const struct { const unsigned long long* handle; } parameters{&handle};
    CUpti_CallbackData data{};
    data.callbackSite = CUPTI_API_EXIT;
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    textures_->add(data);
  }
  std::string problem(const std::uint64_t (&words)[2]) const {
    std::uint8_t block[sizeof(words)];
    std::memcpy(block, words, sizeof(words));
    const char* const found = textures_->find(block, sizeof(block));
    return found == nullptr ? "" : found;
  }

  std::unique_ptr<KnownTextures> textures_ = std::make_unique<KnownTextures>();
};

TEST_F(KnownTexturesTest, FindsAHandleWithinAStructure) {
  add(77);
  add(78, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      problem({1, 77}),
      "A parameter may be a texture or a surface, which a capture cannot hold, so nothing was captured.");
  EXPECT_EQ(problem({1, 78}), "");
}

TEST_F(KnownTexturesTest, RefusesWhatMayHaveOneOfTooMany) {
  for (unsigned long long i = 0; i < 1024; ++i) add(1000 + i);
  EXPECT_EQ(problem({1, 2}), "");
  add(9000);
  EXPECT_NE(problem({1, 2}), "");
}

}  // namespace

}  // namespace warptune::survey::injected::capturing
