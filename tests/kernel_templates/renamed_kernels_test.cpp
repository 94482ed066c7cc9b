#include "kernel_templates/renamed_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "definitions.h"
#include "kernel_templates/library.h"
#include "library_cases.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMap = R"([[renaming]]
names.FINISH = "SPLIT_K_REDUCTION"
values.FINISH.launch = "kernel"
values.LAYOUT_A.turned = "transposed"
added.STAGES = 2
[[renaming.definition]]
kernel = "sgemm"
before = "00000000000000000000000000000001"
after = "00000000000000000000000000000002"
identical = 'dtype != "f16"'
[[renaming.definition]]
kernel = "sgemm_of_another_kind"
before = "00000000000000000000000000000003"
after = "00000000000000000000000000000004"
identical = false
)";

class RenamedKernels : public ::testing::Test {
 protected:
  std::vector<model::Renaming> read(const std::string& text) const {
    return load_renamings(folder_.write("renamed.toml", text));
  }
  std::string failure_of(const std::string& text) const {
    try {
      read(text);
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }
  static std::string with(std::string text, const std::string& part, const std::string& other) {
    return text.replace(text.find(part), part.size(), other);
  }
  TemporaryFolder folder_;
};

TEST_F(RenamedKernels, EachDefinitionHasTheNamesOfItsRenaming) {
  const std::vector<model::Renaming> renamings = read(kMap);
  ASSERT_EQ(renamings.size(), 2U);
  const model::Renaming* sgemm = model::find_renaming(renamings, "00000000000000000000000000000001");
  ASSERT_NE(sgemm, nullptr);
  EXPECT_EQ(sgemm->kernel, "sgemm");
  EXPECT_EQ(sgemm->after, "00000000000000000000000000000002");
  const model::NamedValues configuration = {{"FINISH", std::string("launch")},
                                            {"LAYOUT_A", std::string("turned")}};
  EXPECT_EQ(model::to_text(sgemm->renamed(configuration)), "SPLIT_K_REDUCTION=kernel LAYOUT_A=transposed");
  EXPECT_EQ(model::to_text(sgemm->renamed_configuration(configuration)),
            "SPLIT_K_REDUCTION=kernel LAYOUT_A=transposed STAGES=2");
  EXPECT_TRUE(sgemm->is_identical({{"dtype", std::string("f32")}}));
  EXPECT_FALSE(sgemm->is_identical({{"dtype", std::string("f16")}}));
  EXPECT_FALSE(renamings[1].identical.has_value());
  EXPECT_EQ(renamings[1].names.size(), 2U);
  EXPECT_EQ(model::find_renaming(renamings, "00000000000000000000000000000002"), nullptr);
}

TEST_F(RenamedKernels, WhatCannotBeMeantIsRefusedAtItsPlace) {
  EXPECT_THAT(failure_of(with(kMap, "before = \"00000000000000000000000000000003", "before = \"03")),
              HasSubstr("32 hexadecimal digits"));
  EXPECT_THAT(failure_of(with(kMap, "0003\"", "0001\"")), HasSubstr("mapped only once"));
  EXPECT_THAT(failure_of(with(kMap, "identical = false\n", "")), HasSubstr("identical"));
  EXPECT_THAT(failure_of(with(kMap, "LAYOUT_A.turned", "FINISH.other = \"kernel\"\nvalues.LAYOUT_A.turned")),
              HasSubstr("renamed.toml:4:"));
  EXPECT_THAT(failure_of(with(kMap, "names.FINISH", "name.FINISH")), HasSubstr("name"));
  EXPECT_THAT(failure_of(with(kMap, "added.STAGES = 2", "added.STAGES = [2]")),
              HasSubstr("a value of the parameter"));
}

// The file of a shipped kernel, or of one of the lab's kernels.
std::filesystem::path file_of(const std::string& kernel) {
  const std::filesystem::path library = library_file(kernel);
  if (std::filesystem::is_regular_file(library)) return library;
  const std::filesystem::path lab = tested_sources() / "kernel_templates/lab" / (kernel + ".cu");
  return std::filesystem::is_regular_file(lab) ? lab : std::filesystem::path(lab).replace_extension(".toml");
}

TEST(ShippedRenamings, AreFoundByTheEarlierHashWithoutReadingTheMap) {
  EXPECT_FALSE(shipped_renamings_mention({}));
  EXPECT_FALSE(shipped_renamings_mention({"00000000000000000000000000000000"}));
  for (const model::Renaming& renaming : shipped_renamings()) {
    EXPECT_TRUE(shipped_renamings_mention({"unknown", renaming.before})) << renaming.kernel;
    EXPECT_FALSE(shipped_renamings_mention({renaming.after})) << renaming.kernel;
  }
}

// If a kernel is changed after its names were changed, an entry of the map refers to a hash that no
// definition has.
TEST(ShippedRenamings, LeadToTheShippedDefinitions) {
  for (const model::Renaming& renaming : shipped_renamings()) {
    const KernelDefinition definition = load_kernel(file_of(renaming.kernel).string());
    EXPECT_EQ(renaming.after, definition.hash) << renaming.kernel;
    for (const model::RenamedName& name : renaming.names) {
      const bool is_parameter =
          std::any_of(definition.parameters.begin(), definition.parameters.end(),
                      [&](const model::Parameter& parameter) { return parameter.name == name.after; });
      EXPECT_TRUE(is_parameter || model::find(definition.problem, name.after) != nullptr)
          << renaming.kernel << ": " << name.after;
    }
    for (const auto& [name, value] : renaming.added) {
      EXPECT_TRUE(
          std::any_of(definition.parameters.begin(), definition.parameters.end(),
                      [&, &of = name](const model::Parameter& parameter) { return parameter.name == of; }))
          << renaming.kernel << ": " << name;
    }
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
