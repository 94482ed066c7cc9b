#include "survey/injected/capturing/elf_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/survey/device_image.h"

namespace warptune::survey::injected::capturing {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> functions(const std::string& image) {
  std::vector<std::string> names;
  ElfImage(image.data(), image.size()).visit_functions([&](const char* name) { names.emplace_back(name); });
  return names;
}

std::vector<std::string> variables(const std::string& image) {
  std::vector<std::string> names;
  ElfImage(image.data(), image.size()).visit_variables([&](const char* name, std::size_t bytes) {
    EXPECT_EQ(bytes, 4U);
    names.emplace_back(name);
  });
  return names;
}

TEST(ElfImageTest, NamesKernelsAndVariables) {
  const std::string image = survey::device_image({"_Z3addv", "copy"}, {"weights", "bias"});
  EXPECT_THAT(functions(image), ElementsAre("_Z3addv", "copy"));
  EXPECT_THAT(variables(image), ElementsAre("weights", "bias"));
}

TEST(ElfImageTest, ReadsNothingBeyondAnImageThatIsCutOffOrDamaged) {
  const std::string image = survey::device_image({"_Z3addv"}, {"weights"});
  for (std::size_t bytes = 0; bytes < image.size(); ++bytes) {
    const std::string cut(image.data(), bytes);  // A copy, so that a sanitizer sees reads beyond it.
    EXPECT_THAT(functions(cut), IsEmpty());
    EXPECT_THAT(variables(cut), IsEmpty());
  }
  for (std::size_t at = 0; at < image.size(); ++at) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(0xFF);
    ElfImage(damaged.data(), damaged.size()).visit_functions([](const char*) {});
    ElfImage(damaged.data(), damaged.size()).visit_variables([](const char*, std::size_t) {});
  }
  EXPECT_THAT(functions("another file, which is long enough to hold the header of an image of code ..."),
              IsEmpty());
}

}  // namespace

}  // namespace warptune::survey::injected::capturing
