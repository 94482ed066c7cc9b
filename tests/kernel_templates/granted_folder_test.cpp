// A definition's files outside of its folder are refused, unless the user grants their folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "folder_beside_a_secret.h"

namespace warptune::kernel_templates {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class GrantedFolder : public FolderBesideASecret {
 protected:
  std::string refusal(const fs::path& definition) const {
    const Attempt attempt = this->attempt(definition);
    EXPECT_TRUE(attempt.refused);
    EXPECT_THAT(attempt.said, Not(HasSubstr("SECRET_LINE")));
    return attempt.said;
  }
};

TEST_F(GrantedFolder, ASourceOutsideIsRefused) {
  const std::string toml = with(kScaleToml, "entry", "source = \"../outer.cu\"\nentry");
  EXPECT_THAT(refusal(outside_.write("own/a.toml", toml)), HasSubstr("a.toml:2:10: the source "));
  EXPECT_THAT(refusal(outside_.write("own/b.toml", with(toml, "../outer.cu", "/etc/passwd"))),
              HasSubstr("is outside of the definition's folder"));
  EXPECT_THAT(refusal(outside_.write("own/c.toml", with(toml, "../outer.cu", "linked.cu"))),
              HasSubstr("leads to"));
}

TEST_F(GrantedFolder, ADefinitionThatIsALinkToOutsideIsRefused) {
  EXPECT_THAT(refusal(own_ / "linked.cu"), HasSubstr("the definition "));
  EXPECT_THAT(refusal(outside_.write("own/a.toml", "[kernel]\nextends = \"linked.cu\"\n")),
              HasSubstr("a.toml:2:11: the extended definition "));
}

TEST_F(GrantedFolder, WhatTheUserGrantsIsRead) {
  outside_.write("common/shared.cuh", "#pragma once\n#include \"more.cuh\"\n");
  outside_.write("common/more.cuh", "#define SHARED 1\n");
  const std::string code = "#include \"../common/shared.cuh\"\n#define FILE \"sub/own.cuh\"\n#include FILE\n";
  outside_.write("own/sub/own.cuh", "\n");
  const fs::path definition = outside_.write("own/scale.cu", embedded(kScaleToml, code + kScaleCode));
  EXPECT_THAT(refusal(definition),
              HasSubstr("--allow-read " + fs::canonical(outside_.path() / "common").string()));
  const KernelInstance instance(load_kernel_definition(definition, {{outside_.path() / "common"}}), {},
                                model::fictional_gpu());
  const auto request = instance.compile_request(instance.default_configuration());
  ASSERT_TRUE(request.has_value()) << request.error().reason;
  // The compiler's confinement must allow these folders, too.
  EXPECT_THAT(folders_read_by(*request), IsSupersetOf({fs::canonical(outside_.path() / "common"),
                                                       fs::canonical(outside_.path() / "own")}));
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC is not installed";
  const auto compiled = compile(*request);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().reason;
}

TEST_F(GrantedFolder, IncludesOfAKnownMacroAndOfAFolderByAFlagAreRead) {
  outside_.write("own/inc/a.cuh", "\n");
  const std::string folder = (own_ / "inc").string();
  const std::string toml =
      with(kScaleToml, "entry", "flags = [\"-I" + folder + "\", \"-DFILE=<a.cuh>\"]\nentry");
  const fs::path definition =
      outside_.write("own/scale.cu", embedded(toml, "#include FILE\n#include <a.cuh>\n" + kScaleCode));
  const KernelInstance instance(load_kernel_definition(definition), {}, model::fictional_gpu());
  const auto request = instance.compile_request(instance.default_configuration());
  ASSERT_TRUE(request.has_value()) << request.error().reason;
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC is not installed";
  const auto compiled = compile(*request);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().reason;
}

}  // namespace
}  // namespace warptune::kernel_templates
