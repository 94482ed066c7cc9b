#include "kernel_templates/definition/merging/recommended_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "definitions.h"
#include "kernel_templates/inspection/definition_files.h"
#include "kernel_templates/inspection/definition_findings.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::definition::merging {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kTables =
    "# Small ones.\n[[recommended]]\nwhen = 'N < 100'\n[recommended.values]\nBLOCK = 32\n\n"
    "[[recommended]]\ncost = '2 + N'\n[recommended.values]\nBLOCK = 128\nFACTOR = 2\n";

// The small definition with the key. The key is in line 4.
std::string naming(const std::string& file, const std::string& toml = kScaleToml) {
  return with(toml, "entry = \"scale\"\n", "entry = \"scale\"\nrecommended = \"" + file + "\"\n");
}

class RecommendedFileTest : public ::testing::Test {
 protected:
  // The definition with a file of that text.
  fs::path with_file(const std::string& text) const {
    folder_.write("own/scale.recommended.toml", text);
    return folder_.write("own/scale.cu", embedded(naming("scale.recommended.toml")));
  }
  std::string failure_with(const std::string& text) const { return load_failure(with_file(text)); }
  std::string failure_naming(const std::string& file) const {
    return load_failure(folder_.write("own/scale.cu", embedded(naming(file))));
  }

  TemporaryFolder folder_;
};

TEST_F(RecommendedFileTest, ACopyOfAShippedKernelNeedsNoOtherFile) {
  const fs::path shipped = base::share_folder() / "kernels" / "transpose.cu";
  const fs::path copy = folder_.write("own/transpose.cu", base::read_file(shipped));
  const KernelDefinition definition = load_kernel_definition(copy);
  EXPECT_EQ(definition.recommendations.size(), load_kernel("transpose").recommendations.size());
  EXPECT_THAT(definition.recommended_files,
              ElementsAre(shipped.parent_path() / "transpose.recommended.toml"));
  const fs::path own =
      folder_.write("own/transpose.recommended.toml", "[[recommended]]\nwhen = 'true'\nvalues.VECTOR = 2\n");
  EXPECT_THAT(load_kernel_definition(copy).recommended_files, ElementsAre(own)) << "that one is nearer";
  EXPECT_THAT(failure_naming("../kernels/transpose.recommended.toml"), HasSubstr("is outside of"));
}

TEST_F(RecommendedFileTest, TheTablesAreThoseOfADefinitionThatHasThemInside) {
  const KernelDefinition inside = load_embedded(with(kScaleToml, "[launch]", kTables + "[launch]"));
  const KernelDefinition outside = load_kernel_definition(with_file(kTables));
  ASSERT_EQ(inside.recommendations.size(), 2U);
  ASSERT_EQ(outside.recommendations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outside.recommendations[i].when.text(), inside.recommendations[i].when.text());
    EXPECT_EQ(outside.recommendations[i].values, inside.recommendations[i].values);
  }
  EXPECT_EQ(outside.recommendations[1].cost->text(), "2 + N");
  EXPECT_THAT(outside.recommended_files, ElementsAre(folder_.path() / "own/scale.recommended.toml"));
  EXPECT_THAT(inside.recommended_files, IsEmpty());
}

TEST_F(RecommendedFileTest, NeitherTheKeyNorTheFileIsAPartOfTheHash) {
  const KernelDefinition without = load_embedded(kScaleToml);
  const KernelDefinition inside = load_embedded(with(kScaleToml, "[launch]", kTables + "[launch]"));
  const KernelDefinition outside = load_kernel_definition(with_file(kTables));
  EXPECT_EQ(outside.hash, without.hash);
  EXPECT_EQ(outside.hash, inside.hash);
  EXPECT_EQ(outside.form, without.form);
  EXPECT_EQ(load_kernel_definition(with_file(kTables + "\n" + kTables)).hash, without.hash);
}

TEST_F(RecommendedFileTest, IsRefusedBesideTablesInTheDefinition) {
  folder_.write("own/scale.recommended.toml", kTables);
  const std::string both =
      naming("scale.recommended.toml", with(kScaleToml, "[launch]", kTables + "[launch]"));
  EXPECT_THAT(load_failure(folder_.write("own/scale.cu", embedded(both))),
              AllOf(HasSubstr("scale.cu:4:15: kernel.recommended names scale.recommended.toml, but this "
                              "definition also has [[recommended]] tables, in line 22"),
                    HasSubstr("expected all of them in one of the two")));
}

TEST_F(RecommendedFileTest, AFileThatIsMissingOrNoFileIsReportedAtTheKey) {
  EXPECT_THAT(failure_naming("none.toml"), AllOf(HasSubstr("own/scale.cu:4:15: the file of recommendations"),
                                                 HasSubstr("own/none.toml is missing; expected")));
  fs::create_directories(folder_.path() / "own/sub");
  EXPECT_THAT(failure_naming("sub"), HasSubstr("own/sub is not a regular file"));
  ASSERT_EQ(mkfifo((folder_.path() / "own/pipe").c_str(), 0600), 0);
  EXPECT_THAT(failure_naming("pipe"), HasSubstr("own/pipe is not a regular file"));
  EXPECT_THAT(failure_naming(""), HasSubstr("scale.cu:4:15: kernel.recommended is the text \"\""));
  EXPECT_THAT(load_failure(folder_.write(
                  "own/scale.cu", embedded(with(naming("x"), "recommended = \"x\"", "recommended = 1")))),
              HasSubstr("scale.cu:4:15: kernel.recommended is the integer 1, expected text"));
}

TEST_F(RecommendedFileTest, AFileThatCannotBeReadIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const fs::path definition = with_file(kTables);
  fs::permissions(folder_.path() / "own/scale.recommended.toml", fs::perms::none);
  EXPECT_THAT(load_failure(definition), HasSubstr("scale.recommended.toml: cannot be read"));
}

TEST_F(RecommendedFileTest, TheLargestFileIsReadAndALargerOneIsNot) {
  const std::string fill(kMaxRecommendedFileBytes - kTables.size(), '\n');
  EXPECT_THAT(load_kernel_definition(with_file(kTables + fill)).recommendations, SizeIs(2));
  EXPECT_THAT(
      failure_with(kTables + fill + "\n"),
      HasSubstr("scale.recommended.toml: is larger than 1 MiB, the limit of a file of recommendations"));
}

TEST_F(RecommendedFileTest, AMistakeIsReportedAtItsPlaceInTheFile) {
  EXPECT_THAT(failure_with("# one\n[[recommended]\n"),
              HasSubstr("own/scale.recommended.toml:2:15: malformed TOML"));
  EXPECT_THAT(failure_with(kTables + "[launch]\ngrid = 1\n"),
              HasSubstr("own/scale.recommended.toml:12:1: unknown key 'launch' (did you mean recommended?); "
                        "the file has recommended"));
  EXPECT_THAT(
      failure_with("[[recomended]]\nwhen = 'true'\n"),
      HasSubstr("own/scale.recommended.toml:1:1: unknown key 'recomended' (did you mean recommended"));
  EXPECT_THAT(failure_with("# nothing\n"),
              AllOf(HasSubstr("own/scale.recommended.toml"),
                    HasSubstr("recommended is missing, expected [[recommended]] tables")));
  EXPECT_THAT(
      failure_with("[recommended]\nwhen = 'true'\n"),
      HasSubstr("own/scale.recommended.toml:1:1: recommended is a table, expected tables, each headed"));
  EXPECT_THAT(failure_with(with(kTables, "BLOCK = 128", "BLOCK = 129")),
              HasSubstr("own/scale.recommended.toml:10:9: recommended.values.BLOCK is the integer 129"));
  EXPECT_THAT(failure_with(with(kTables, "when", "where")),
              HasSubstr("own/scale.recommended.toml:3:9: unknown key 'recommended.where'"));
  EXPECT_THAT(failure_with(with(kTables, "N < 100", "N <")), HasSubstr("own/scale.recommended.toml:3:"));
  EXPECT_THAT(failure_with(with(kTables, "N < 100", "M < 100")),
              AllOf(HasSubstr("own/scale.recommended.toml:3:9"), HasSubstr("'M'")));
  EXPECT_THAT(failure_with("[[recommended]]\nwhen = 'true'\n"),
              HasSubstr("own/scale.recommended.toml:1:1: recommended.values is missing"));
  EXPECT_THAT(load_failure(folder_.write(
                  "own/scale.cu", embedded(naming("scale.recommended.toml", with(kScaleToml,
                                                                                 "[default]\nBLOCK = 64\n"
                                                                                 "FACTOR = 2\n",
                                                                                 ""))))),
              HasSubstr("own/scale.recommended.toml:1:1: recommended is a list, expected a [default]"));
}

TEST_F(RecommendedFileTest, AWarningOfACheckHasItsPlaceInTheFile) {
  const fs::path path = with_file(
      "\n[[recommended]]\nwhen = 'true'\n[recommended.values]\nBLOCK = 128\nFACTOR = 3\n"
      "[[recommended]]\ncost = '1 / (N - N)'\n[recommended.values]\nBLOCK = 32\n");
  const KernelInstance instance(load_kernel_definition(path), {}, model::fictional_gpu());
  const inspection::Findings findings = inspection::recommendation_findings(instance);
  ASSERT_THAT(findings, Not(IsEmpty()));
  for (const inspection::Finding& finding : findings) {
    EXPECT_THAT(finding.position.file, EndsWith("own/scale.recommended.toml"));
    EXPECT_GT(finding.position.line, 1);
  }
}

TEST_F(RecommendedFileTest, AFileOutsideOfTheFolderNeedsPermission) {
  const fs::path file = folder_.write("shared/more.toml", kTables);
  EXPECT_THAT(failure_naming("../shared/more.toml"),
              AllOf(HasSubstr("scale.cu:4:15: the file of recommendations"), HasSubstr("--allow-read")));
  EXPECT_THAT(failure_naming(file.string()), HasSubstr("--allow-read"));
  EXPECT_THAT(failure_naming("/etc/passwd"), HasSubstr("--allow-read /etc"));
  fs::create_symlink(file, folder_.path() / "own/link.toml");
  EXPECT_THAT(failure_naming("link.toml"), HasSubstr("--allow-read"));
  Permissions permissions;
  permissions.readable = {granted_folder(folder_.path() / "shared")};
  EXPECT_THAT(load_kernel_definition(folder_.path() / "own/scale.cu", permissions).recommendations,
              SizeIs(2));
}

TEST_F(RecommendedFileTest, IsInheritedUntilAnExtensionHasTablesOrAFileOfItsOwn) {
  with_file(kTables);
  const auto extension = [&](const std::string& rest) {
    return load_kernel_definition(
        folder_.write("own/more.toml", "[kernel]\nextends = \"scale.cu\"\n" + rest));
  };
  EXPECT_THAT(extension("").recommendations, SizeIs(2));
  EXPECT_THAT(extension("[[recommended]]\nwhen = 'true'\n[recommended.values]\nBLOCK = 64\n").recommendations,
              SizeIs(1));
  folder_.write("own/more.recommended.toml",
                "[[recommended]]\nwhen = 'N > 7'\n[recommended.values]\nBLOCK = 64\n");
  const KernelDefinition own = extension("recommended = \"more.recommended.toml\"\n");
  ASSERT_EQ(own.recommendations.size(), 1U);
  EXPECT_EQ(own.recommendations[0].when.text(), "N > 7");
  EXPECT_THAT(own.recommended_files, ElementsAre(folder_.path() / "own/more.recommended.toml",
                                                 folder_.path() / "own/scale.recommended.toml"));
  folder_.write("own/scale.cu", embedded(with(kScaleToml, "[launch]", kTables + "[launch]")));
  EXPECT_THAT(extension("recommended = \"more.recommended.toml\"\n").recommendations, SizeIs(1));
}

TEST_F(RecommendedFileTest, BelongsToTheFilesOfADefinition) {
  const auto files = inspection::files_of(load_kernel_definition(with_file(kTables)));
  EXPECT_THAT(files,
              ElementsAre(folder_.path() / "own/scale.cu", folder_.path() / "own/scale.recommended.toml"));
}

TEST_F(RecommendedFileTest, ShippedKernelsWithOneHaveRecommendations) {
  for (const char* name : {"sgemm", "gemm_tc"}) {
    const KernelDefinition definition = load_kernel(name);
    ASSERT_THAT(definition.recommended_files, SizeIs(1)) << name;
    EXPECT_THAT(definition.recommended_files.front().string(),
                EndsWith(std::string(name) + ".recommended.toml"));
    EXPECT_THAT(definition.recommendations, Not(IsEmpty())) << name;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates::definition::merging
