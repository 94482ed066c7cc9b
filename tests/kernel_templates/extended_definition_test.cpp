// Definitions that extend others, and tensor maps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;
using model::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ExtendedDefinition, HasWhatItsBaseHasAndItsOwnOverIt) {
  const TemporaryFolder folder;
  folder.write("scale.cu", embedded(kScaleToml));
  const KernelDefinition definition = load_kernel_definition(
      folder.write("triple.toml",
                   "[kernel]\nextends = \"scale.cu\"\ndescription = \"y = 3 x\"\n[problem]\nN = 77\n"
                   "[parameters]\nBLOCK = [64]\n[default]\nFACTOR = 3\n"));
  EXPECT_EQ(definition.name, "triple");
  EXPECT_EQ(definition.description, "y = 3 x");
  EXPECT_EQ(definition.entry, "scale");
  EXPECT_EQ(definition.source, folder.path() / "scale.cu");
  EXPECT_EQ(*model::find(definition.problem, "N"), Value(std::int64_t{77}));
  EXPECT_EQ(*model::find(definition.problem, "dtype"), Value(std::string("f32")));
  ASSERT_EQ(definition.parameters.size(), 2U);
  EXPECT_EQ(definition.parameters[0].name, "FACTOR") << "what the base wrote stands first";
  EXPECT_THAT(definition.parameters[1].values, ElementsAre(Value(std::int64_t{64})));
  EXPECT_EQ(*model::find(definition.default_configuration, "FACTOR"), Value(std::int64_t{3}));
  EXPECT_EQ(definition.arguments.size(), 3U);
  const KernelInstance instance(definition, {}, model::fictional_gpu());
  EXPECT_TRUE(instance.compile_request(instance.default_configuration()).has_value());
}

TEST(ExtendedDefinition, AWrongValueThatReplacesOneOfTheBaseHasItsOwnPosition) {
  const TemporaryFolder folder;
  folder.write("scale.cu", embedded(kScaleToml));
  const auto failure_of = [&](const std::string& own) -> std::string {
    try {
      load_kernel_definition(folder.write("triple.toml", "[kernel]\nextends = \"scale.cu\"\n" + own));
      return "no error";
    } catch (const base::InputError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(failure_of("[launch]\ngrid = [\"ceil_div(N,\"]\n"), HasSubstr("triple.toml:4:"));
  EXPECT_THAT(failure_of("[problem]\nN = []\n"), HasSubstr("triple.toml:4:5"));
  EXPECT_THAT(failure_of("[parameters]\nBLOCK = []\n"), HasSubstr("triple.toml:4:9"));
}

TEST(ExtendedDefinition, HasAKeyOfItsOwnThatFollowsItsBase) {
  const TemporaryFolder folder;
  const auto base = folder.write("scale.cu", embedded(kScaleToml));
  const auto path = folder.write("twice.toml", "[kernel]\nextends = \"scale.cu\"\n");
  const std::string before = load_kernel_definition(path).hash;
  EXPECT_NE(before, load_kernel_definition(base).hash) << "its name is another";
  folder.write("scale.cu", embedded(with(kScaleToml, "<= 256", "<= 255")));
  EXPECT_NE(load_kernel_definition(path).hash, before);
}

TEST(ExtendedDefinition, MayExtendAnExtension) {
  const TemporaryFolder folder;
  folder.write("scale.cu", embedded(kScaleToml));
  folder.write("a.toml", "[kernel]\nextends = \"scale.cu\"\n[problem]\nN = 5\n");
  const auto path = folder.write("b.toml", "[kernel]\nextends = \"a.toml\"\n[problem]\ndtype = \"f64\"\n");
  const KernelDefinition definition = load_kernel_definition(path);
  EXPECT_EQ(definition.name, "b");
  EXPECT_EQ(model::to_text(definition.problem), "N=5 dtype=f64");
}

TEST(ExtendedDefinition, SaysWhichFileAMistakeStandsIn) {
  const TemporaryFolder folder;
  const auto base =
      folder.write("scale.cu", embedded(with(kScaleToml, "\"BLOCK * FACTOR", "\"BLOK * FACTOR")));
  const auto path = folder.write("twice.toml", "[kernel]\nextends = \"scale.cu\"\n");
  EXPECT_THAT(load_failure(path), HasSubstr(base.string() + ":14"));
}

TEST(ExtendedDefinition, RefusesABaseThatIsMissingElsewhereOrItself) {
  const TemporaryFolder folder;
  folder.write("scale.cu", embedded(kScaleToml));
  const auto path = [&](const std::string& base) {
    return folder.write("x.toml", "[kernel]\nextends = \"" + base + "\"\n");
  };
  EXPECT_THAT(load_failure(path("none.cu")), HasSubstr("the name of a definition in the same folder"));
  EXPECT_THAT(load_failure(path("../scale.cu")), HasSubstr("the name of a definition in the same folder"));
  EXPECT_THAT(load_failure(path("x.toml")), HasSubstr("extend each other in a circle"));
  EXPECT_THAT(load_failure(
                  folder.write("y.cu", embedded(with(kScaleToml, "entry", "extends = \"scale.cu\"\nentry")))),
              HasSubstr("only a .toml file can extend"));
}

// The scaling kernel with a tensor map of its input.
std::string mapped(const std::string& map) {
  return kScaleToml + "\n[[argument]]\nname = \"x_map\"\nkind = \"tensor_map\"\nof = \"x\"\n" + map;
}

model::Outcome<std::vector<ResolvedArgument>> mapped_arguments(const std::string& toml,
                                                               std::int64_t block = 64) {
  const KernelInstance instance(load_embedded(toml), {}, model::fictional_gpu());
  return instance.arguments({{"BLOCK", Value(block)}, {"FACTOR", Value(std::int64_t{2})}});
}

TEST(TensorMaps, HaveTheNumbersOfAConfiguration) {
  const auto arguments = mapped_arguments(
      mapped("shape = [20, \"N / 20\"]\nbox = [4, \"BLOCK / 2\"]\nswizzle = 64\nwhen = \"BLOCK > 32\"\n"));
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  const ResolvedArgument& argument = arguments->back();
  EXPECT_EQ(argument.kind, ArgumentKind::kTensorMap);
  EXPECT_EQ(argument.type, DataType::kF32);
  EXPECT_FALSE(argument.is_buffer());
  EXPECT_TRUE(argument.tensor_map.encoded);
  EXPECT_EQ(argument.tensor_map.buffer, 0U);
  EXPECT_THAT(argument.tensor_map.shape, ElementsAre(20, 50));
  EXPECT_THAT(argument.tensor_map.pitch, ElementsAre(20)) << "packed";
  EXPECT_THAT(argument.tensor_map.box, ElementsAre(4, 32));
  EXPECT_EQ(argument.tensor_map.swizzle_bytes, 64);
}

TEST(TensorMaps, AreEmptyWhereTheirConditionDoesNotHold) {
  const auto arguments =
      mapped_arguments(mapped("shape = [20, 50]\nbox = [4, \"BLOCK * 100\"]\nwhen = \"BLOCK > 32\"\n"), 32);
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  EXPECT_FALSE(arguments->back().tensor_map.encoded);
}

TEST(TensorMaps, RejectAConfigurationThatIsPastALimit) {
  const auto reason = [](const std::string& map) { return mapped_arguments(mapped(map)).error().reason; };
  EXPECT_THAT(reason("shape = [20, 50]\nbox = [4, \"BLOCK * 5\"]\n"),
              HasSubstr("'BLOCK * 5' is 320, expected 1 to 256"));
  EXPECT_THAT(reason("shape = [20, 51]\nbox = [4, 4]\n"),
              HasSubstr("it needs 1020 elements of 'x', which has 1000"));
  EXPECT_THAT(reason("shape = [20, 50]\npitch = [\"N\"]\nbox = [4, 4]\n"), HasSubstr("it needs 49020"));
  EXPECT_THAT(
      reason("shape = [20, 50]\npitch = [21]\nbox = [4, 4]\n"),
      HasSubstr("the tensor map 'x_map': rows begin 21 elements of 4 bytes apart, expected a multiple of "
                "16 bytes"));
  EXPECT_THAT(reason("shape = [10, 50]\nbox = [4, 4]\n"), HasSubstr("rows begin 10 elements")) << "packed";
  EXPECT_THAT(reason("shape = [4, 3, 50]\npitch = [4, 13]\nbox = [4, 1, 1]\n"),
              HasSubstr("planes begin 13 elements"));
  EXPECT_THAT(reason("shape = [4, 1]\npitch = [549755813888]\nbox = [4, 1]\n"),
              HasSubstr("at most 1099511627760"));
  EXPECT_THAT(reason("shape = [20, 50]\nbox = [4, 4]\nswizzle = \"BLOCK - 1\"\n"),
              HasSubstr("expected 0, 32, 64 or 128 bytes"));
}

TEST(TensorMaps, SayWhatTheirDefinitionLacks) {
  const auto failure = [](const std::string& toml) {
    try {
      load_embedded(toml);
      return std::string("no error");
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(failure(mapped("shape = [20]\nbox = [4]\n")), HasSubstr("two to five expressions"));
  EXPECT_THAT(failure(mapped("shape = [20, 50]\nbox = [4]\n")),
              HasSubstr("as many expressions as the shape has"));
  EXPECT_THAT(failure(mapped("shape = [20, 50]\nbox = [4, 4]\npitch = [1, 2]\n")),
              HasSubstr("one expression fewer"));
  EXPECT_THAT(failure(mapped("shape = [20, 50]\nbox = [4, \"BLOK\"]\n")), HasSubstr("did you mean BLOCK"));
  EXPECT_THAT(failure(with(mapped("shape = [20, 50]\nbox = [4, 4]\n"), "of = \"x\"", "of = \"n\"")),
              HasSubstr("the name of a buffer argument above"));
}

TEST(ArchitectureSpecific, CodeIsForOneArchitectureFromNineOn) {
  const std::string toml = with(kScaleToml, "entry", "architecture_specific = true\nentry");
  const TemporaryFolder folder;
  const auto path = folder.write("scale.cu", embedded(toml));
  model::GpuDescription gpu = model::fictional_gpu();
  const auto target = [&] {
    const KernelInstance instance(load_kernel_definition(path), {}, gpu);
    return instance.compile_request(instance.default_configuration())->architecture;
  };
  EXPECT_EQ(target(), "sm_90a");
  gpu.compute_major = 8;
  EXPECT_EQ(target(), "sm_80");
}

TEST(ProblemEntries, MayBeDescribed) {
  const KernelDefinition definition =
      load_embedded(with(kScaleToml, "N = 1000", "N = { value = 1000, description = \"elements\" }"));
  EXPECT_EQ(model::to_text(definition.problem), "N=1000 dtype=f32");
  EXPECT_THAT(definition.problem_descriptions, ElementsAre(std::pair{"N", "elements"}));
}

}  // namespace
}  // namespace warptune::kernel_templates
