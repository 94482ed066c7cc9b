// References that are files with the right outputs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "definitions.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/definition/data_file.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/given_contents.h"
#include "kernel_templates/inspection/argument_findings.h"
#include "kernel_templates/inspection/definition_files.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

const std::string kFile = "[check]\nreference = \"file\"\npath = \"y.bin\"\n";

class ReferenceFile : public ::testing::Test {
 protected:
  ReferenceFile() {
    folder_.write("x.bin", std::string(4000, 'x'));
    folder_.write("y.bin", std::string(4000, 'y'));
  }
  // The definition in which `x` is in a file.
  static std::string toml(const std::string& check = kFile) {
    return with(kScaleToml, "count = \"N\"\n\n[[argument]]\nname = \"y\"",
                "count = \"N\"\ninit = { kind = \"file\", path = \"x.bin\" }\n\n[[argument]]\nname = \"y\"") +
           check;
  }
  KernelDefinition loaded(const std::string& text = toml()) const {
    return load_kernel_definition(folder_.write("scale.cu", embedded(text)));
  }
  std::string refusal(const std::string& text) const {
    return load_failure(folder_.write("scale.cu", embedded(text)));
  }
  std::string misfit(const model::NamedValues& sizes = {}) const {
    try {
      require_contents_fit({loaded(), sizes, model::fictional_gpu()});
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(ReferenceFile, IsAReferenceThatNothingComputes) {
  const KernelDefinition definition = loaded();
  EXPECT_EQ(definition.check.reference, ReferenceKind::kFile);
  EXPECT_TRUE(warnings_of(definition).empty());
  const KernelInstance instance(definition, {}, model::fictional_gpu());
  EXPECT_TRUE(instance.has_reference());
  EXPECT_FALSE(instance.compiles_reference());
  EXPECT_TRUE(instance.has_expected_files());
  const auto files = expected_files(definition);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].first, "y");
  EXPECT_EQ(files[0].second.filename(), "y.bin");
  EXPECT_TRUE(inspection::files_of(definition).contains(folder_.path() / "y.bin"));
  EXPECT_EQ(misfit(), "no error");
}

TEST_F(ReferenceFile, SeveralOutputsHaveATableOfFiles) {
  const std::string two = with(toml(""), "kind = \"in\"", "kind = \"inout\"");
  EXPECT_EQ(loaded(two + "[check]\nreference = \"file\"\npath = { x = \"x.bin\", y = \"y.bin\" }\n")
                .check.files.size(),
            2U);
  EXPECT_THAT(refusal(two + kFile), HasSubstr("a file with the elements for x and for y"));
  EXPECT_THAT(refusal(two + "[check]\nreference = \"file\"\npath = { x = \"x.bin\" }\n"), HasSubstr("y"));
}

TEST_F(ReferenceFile, HoldsForTheSizesAndTypesOfTheDefinitionOnly) {
  EXPECT_EQ(misfit({{"N", std::int64_t{1000}}}), "no error");
  EXPECT_THAT(
      misfit({{"N", std::int64_t{999}}}),
      HasSubstr("right outputs for N=1000 dtype=f32, found N=999 dtype=f32; other sizes or types need "
                "another reference"));
  EXPECT_THAT(misfit({{"dtype", std::string("i32")}}), HasSubstr("found N=1000 dtype=i32"));
}

TEST_F(ReferenceFile, IsRefusedWithoutFilesOfItsSizeAndType) {
  folder_.write("y.bin", "short");
  EXPECT_THAT(misfit(), HasSubstr("has 5 bytes of data, but argument 'y' expects 4000 (1000 x f32)"));
  std::filesystem::remove(folder_.path() / "y.bin");
  EXPECT_THAT(misfit(), HasSubstr("the data of argument 'y' cannot be read: No such file"));
  folder_.write("y.bin", std::string(4000, 'y'));
  folder_.write("x.bin", "short");
  EXPECT_THAT(misfit(), HasSubstr("argument 'x' expects 4000"));
}

TEST_F(ReferenceFile, IsRefusedWithOtherInputsOrKeys) {
  EXPECT_THAT(refusal(kScaleToml + kFile), HasSubstr("the contents of argument 'x' are random"));
  EXPECT_THAT(refusal(toml(kFile + "cases = [{ seed = 7 }]\n")), HasSubstr("check.cases"));
  EXPECT_THAT(refusal(toml("[check]\nreference = \"configuration\"\npath = \"y.bin\"\n")),
              HasSubstr("only a reference of the kind file has it"));
  EXPECT_THAT(refusal(toml("[check]\nreference = \"files\"\n")),
              HasSubstr("one of entry, configuration, expression, file"));
  EXPECT_THAT(refusal(toml("[check]\nreference = \"file\"\n")), HasSubstr("a file with the elements for y"));
  EXPECT_THAT(refusal(toml("[check]\nreference = \"file\"\npath = \"../y.bin\"\n")), HasSubstr("the data"));
}

TEST_F(ReferenceFile, ContentsOfAnotherSizeAreAWarning) {
  const KernelDefinition definition = loaded(toml("[check]\nreference = \"configuration\"\n"));
  EXPECT_TRUE(inspection::contents_findings({definition, {}, model::fictional_gpu()}, false).empty());
  const inspection::Findings found =
      inspection::contents_findings({definition, {{"N", std::int64_t{500}}}, model::fictional_gpu()}, false);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, inspection::Severity::kWarning);
  EXPECT_THAT(found[0].message, HasSubstr("the file has 4000 bytes of data"));
}

TEST_F(ReferenceFile, IsNotInheritedForAnotherProblem) {
  loaded();
  const auto extended = [&](const std::string& rest) {
    return folder_.write("child.toml", "[kernel]\nextends = \"scale.cu\"\nname = \"child\"\n" + rest);
  };
  EXPECT_EQ(load_kernel_definition(extended("")).check.reference, ReferenceKind::kFile);
  EXPECT_THAT(load_failure(extended("[problem]\nN = 500\n")),
              HasSubstr("the files of [check] in scale.cu are right for its own problem and arguments"));
  const KernelDefinition other =
      load_kernel_definition(extended("[problem]\nN = 500\n[check]\nreference = \"configuration\"\n"));
  EXPECT_EQ(other.check.reference, ReferenceKind::kConfiguration);
  EXPECT_TRUE(other.check.files.empty());
}

TEST_F(ReferenceFile, AProgramThatGivesInputsGivesOutputsToo) {
  KernelDefinition definition = loaded();
  const GivenContents first{"x", ContentsRole::kFirst, "f32", folder_.path() / "x.bin"};
  EXPECT_THROW(use_given_contents(definition, {first}), base::InputError);
  definition = loaded();
  use_given_contents(definition, {first, {"y", ContentsRole::kExpected, "f32", folder_.path() / "x.bin"}});
  EXPECT_EQ(definition.check.reference, ReferenceKind::kGiven);
  EXPECT_EQ(expected_files(definition).at(0).second.filename(), "x.bin");
}

TEST_F(ReferenceFile, WrittenNumpyFilesAreReadAgainWithTheirType) {
  for (const DataTypeInfo& type : data_types()) {
    const std::string elements = std::string("0123456789abcdef").substr(0, 2 * type.size_bytes);
    ResolvedArgument argument;
    argument.name = "x";
    argument.type = type.type;
    argument.count = 2;
    argument.init.kind = InitialiserKind::kFile;
    argument.init.path = folder_.write("x.npy", definition::npy_text(type.type, elements));
    definition::require_data_file_fits(argument);
    const std::vector<std::byte> read = generate_argument(argument, 0, 1);
    EXPECT_EQ(std::memcmp(read.data(), elements.data(), elements.size()), 0) << type.name;
    argument.type = type.type == DataType::kF64 ? DataType::kI64 : DataType::kF64;
    EXPECT_THROW(definition::require_data_file_fits(argument), base::InputError) << type.name;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
