#include "kernel_templates/kernel_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/files.h"
#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::Expression;
using model::NamedValues;
using model::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::filesystem::path every_field_folder() {
  return std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "tests/kernel_templates/data/every_field";
}

// The texts of expressions as "a / b".
std::string texts(const std::vector<Expression>& expressions) {
  std::string text;
  for (const Expression& expression : expressions) text += (text.empty() ? "" : " / ") + expression.text();
  return text;
}
std::string text(const std::optional<Expression>& expression) {
  return expression ? expression->text() : "-";
}
std::string text(const Launch& launch) {
  return launch.entry + ": " + texts(launch.grid) + " x " + texts(launch.block) + ", shared " +
         text(launch.shared_bytes) + ", cluster " + texts(launch.cluster) + ", when " + text(launch.when);
}
std::string values_text(const model::Parameter& parameter) {
  std::string all = parameter.name + ":";
  for (const Value& value : parameter.values) all += " " + model::to_literal(value);
  return all;
}
std::string text(const Argument& argument) {
  const Initialiser& init = argument.init;
  std::ostringstream stream;
  stream << argument.name << " " << static_cast<int>(argument.kind) << " " << argument.type << " count "
         << text(argument.count) << " value " << text(argument.value) << " init "
         << static_cast<int>(init.kind) << " " << init.first << " " << init.second << " seed " << init.seed
         << (argument.zeroed ? " zeroed" : "");
  return stream.str();
}

class WholeDefinition : public ::testing::Test {
 protected:
  const std::filesystem::path folder_ = every_field_folder();
  const KernelDefinition definition_ = load_kernel_definition(folder_ / "definition.toml");
};

TEST_F(WholeDefinition, HasTheKernelSection) {
  EXPECT_EQ(definition_.name, "every-field_1");
  EXPECT_EQ(definition_.description, "uses every key once");
  EXPECT_EQ(definition_.entry, "weigh<{BLOCK}, {dtype}>");
  EXPECT_EQ(definition_.path, folder_ / "definition.toml");
  EXPECT_EQ(definition_.source, folder_ / "kernel.cu");
  EXPECT_EQ(definition_.language, "c++20");
  EXPECT_THAT(definition_.flags, ElementsAre("-lineinfo", "{EXTRA}"));
  EXPECT_THAT(definition_.include_folders, ElementsAre(folder_ / "include"));
  ASSERT_EQ(definition_.defines.size(), 2U);
  EXPECT_EQ(definition_.defines[0].first, "TILES");
  EXPECT_EQ(definition_.defines[0].second.text(), "ceil_div(N, BLOCK)");
  EXPECT_EQ(definition_.defines[1].first, "ALIGNED");
  EXPECT_THAT(definition_.hints, ElementsAre("ALIGNED"));
}

TEST_F(WholeDefinition, HasTheProblemInTheOrderWritten) {
  const NamedValues expected = {
      {"N", std::int64_t{1000}}, {"weight", 0.25}, {"fast", true}, {"dtype", "f16"}, {"EXTRA", ""}};
  EXPECT_EQ(definition_.problem, expected);
  ASSERT_EQ(definition_.problem_values.size(), 1U);
  EXPECT_EQ(definition_.problem_values[0].first, "dtype");
  EXPECT_THAT(definition_.problem_values[0].second, ElementsAre(Value("f16"), Value("f32")));
}

TEST_F(WholeDefinition, HasTheParametersInTheOrderWrittenAfterTheVariant) {
  std::vector<std::string> all;
  for (const model::Parameter& parameter : definition_.parameters) all.push_back(values_text(parameter));
  EXPECT_THAT(all, ElementsAre("VARIANT: \"first\" \"second\"", "ZETA: 0.5 1.0", "BLOCK: 64 128",
                               "LINEAR: 1 2 3 4", "STEPPED: 10 20 30 40", "POWERS: 1 2 4 8",
                               ::testing::StartsWith("REALS: 0.0 0.1 0.2 0.3"), "STRIDED: false true",
                               "ALOAD: \"ldg\" \"ldcs\""));
  EXPECT_EQ(definition_.parameters[2].description, "threads a block");
  EXPECT_EQ(definition_.parameters[2].position.line, 23);
}

TEST_F(WholeDefinition, HasTheConstraintsWithTheirReasons) {
  ASSERT_EQ(definition_.constraints.size(), 2U);
  EXPECT_EQ(definition_.constraints[0].expression.text(), "BLOCK * LINEAR <= 256");
  EXPECT_EQ(definition_.constraints[0].reason, "a block handles at most 256");
  EXPECT_EQ(definition_.constraints[1].expression.text(),
            "POWERS * sizeof(dtype) <= device_max_threads_per_block");
  EXPECT_EQ(definition_.constraints[1].reason, "");
}

TEST_F(WholeDefinition, HasTheDefaultInTheOrderAndTypesOfTheParameters) {
  const NamedValues expected = {{"VARIANT", "second"},
                                {"ZETA", 1.0},
                                {"BLOCK", std::int64_t{128}},
                                {"LINEAR", std::int64_t{2}},
                                {"STEPPED", std::int64_t{20}},
                                {"POWERS", std::int64_t{4}},
                                {"REALS", 0.1},
                                {"STRIDED", true},
                                {"ALOAD", "ldcs"}};
  EXPECT_EQ(definition_.default_configuration, expected);
}

TEST_F(WholeDefinition, HasTheLaunchesBeforeAndAfter) {
  EXPECT_EQ(text(definition_.launch),
            ": ceil_div(N, BLOCK) / 2 / 3 x BLOCK, shared BLOCK * 4, cluster 2, when -");
  ASSERT_EQ(definition_.before.size(), 1U);
  EXPECT_EQ(text(definition_.before[0]), "clear: 1 x 32, shared -, cluster , when ALOAD == \"ldg\"");
  ASSERT_EQ(definition_.after.size(), 1U);
  EXPECT_EQ(text(definition_.after[0]), "second_pass<{BLOCK}>: 1 / 1 x 64, shared 128, cluster , when -");
}

TEST_F(WholeDefinition, HasTheArgumentsWithTheirInitialisers) {
  std::vector<std::string> all;
  for (const Argument& argument : definition_.arguments) all.push_back(text(argument));
  EXPECT_THAT(
      all, ElementsAre(
               "a 0 dtype count N value - init 0 -2 3 seed 11",
               "b 2 f32 count N * 2 value - init 1 5 0.5 seed 0", "c 0 i32 count 4 value - init 2 7 2 seed 0",
               "d 0 u8 count N value - init 3 9 0 seed 0", "e 0 f64 count N value - init 4 0 0 seed 0",
               "partials 3 f32 count BLOCK * 16 value - init 0 0 1 seed 0 zeroed",
               "out 1 bf16 count N value - init 0 0 1 seed 0", "n 4 i64 count - value N init 0 0 1 seed 0"));
  EXPECT_EQ(definition_.arguments[4].init.path, folder_ / "values.npy");
}

TEST_F(WholeDefinition, HasTheCheckWorkAndVariants) {
  EXPECT_EQ(definition_.check.reference, ReferenceKind::kEntry);
  EXPECT_EQ(text(definition_.check.launch),
            "reference<{dtype}>: ceil_div(N, 256) x 256, shared 16, cluster , when -");
  EXPECT_EQ(text(definition_.check.absolute), "weight * 2");
  EXPECT_EQ(text(definition_.check.relative), "0.001");
  EXPECT_EQ(text(definition_.check.nondeterministic), "BLOCK > 64");
  EXPECT_EQ(text(definition_.flops), "2 * N");
  EXPECT_EQ(text(definition_.bytes), "3 * N * sizeof(dtype)");
  ASSERT_EQ(definition_.variants.size(), 2U);
  EXPECT_EQ(definition_.variants[0].name, "first");
  EXPECT_EQ(definition_.variants[0].entry, definition_.entry);
  EXPECT_EQ(definition_.variants[0].source, definition_.source);
  EXPECT_EQ(definition_.variants[1].entry, "weigh_fast");
  EXPECT_EQ(definition_.variants[1].source, folder_ / "other.cu");
}

TEST_F(WholeDefinition, IsTheSameWhenItStandsInItsSource) {
  const TemporaryFolder copy;
  std::filesystem::copy(folder_, copy.path(), std::filesystem::copy_options::recursive);
  const std::string toml = with(base::read_file(folder_ / "definition.toml"), "source = \"kernel.cu\"\n", "");
  const std::string code = base::read_file(folder_ / "kernel.cu");
  const KernelDefinition own = load_kernel_definition(copy.write("kernel.cu", embedded(toml, code)));
  EXPECT_EQ(own.source, copy.path() / "kernel.cu");
  EXPECT_EQ(own.hash, definition_.hash);
  EXPECT_EQ(own.default_configuration, definition_.default_configuration);
  ASSERT_EQ(own.arguments.size(), definition_.arguments.size());
  for (std::size_t i = 0; i < own.arguments.size(); ++i)
    EXPECT_EQ(text(own.arguments[i]), text(definition_.arguments[i]));
  ASSERT_EQ(own.parameters.size(), definition_.parameters.size());
  for (std::size_t i = 0; i < own.parameters.size(); ++i)
    EXPECT_EQ(values_text(own.parameters[i]), values_text(definition_.parameters[i]));
  EXPECT_EQ(text(own.launch), text(definition_.launch));
}

TEST(KernelDefinition, HasDefaultsForWhatMayBeLeftOut) {
  const KernelDefinition definition = load_embedded(kScaleToml);
  EXPECT_EQ(definition.name, "scale") << "the file's name";
  EXPECT_EQ(definition.description, "");
  EXPECT_EQ(definition.language, "c++17");
  EXPECT_THAT(definition.flags, IsEmpty());
  EXPECT_EQ(definition.check.reference, ReferenceKind::kNone);
  EXPECT_THAT(definition.variants, IsEmpty());
  const Initialiser& init = definition.arguments[0].init;
  EXPECT_EQ(init.kind, InitialiserKind::kUniform);
  EXPECT_EQ(text(definition.launch.shared_bytes), "-");
}

// The values of `BLOCK = <definition>`.
std::string block_values(const std::string& definition) {
  std::string toml = with(kScaleToml, "BLOCK = [32, 64, 128]", "BLOCK = " + definition);
  toml = with(toml, "[default]\nBLOCK = 64\nFACTOR = 2\n", "");
  return values_text(load_embedded(toml).parameters.front());
}

TEST(KernelDefinition, SpellsRangesOutToTheirLastValue) {
  EXPECT_EQ(block_values("{ range = [1, 5], step = 2 }"), "BLOCK: 1 3 5");
  EXPECT_EQ(block_values("{ range = [1, 6], step = 2 }"), "BLOCK: 1 3 5");
  EXPECT_EQ(block_values("{ range = [7, 7] }"), "BLOCK: 7");
  EXPECT_EQ(block_values("{ range = [3, 100], scale = \"log2\" }"), "BLOCK: 3 6 12 24 48 96");
  EXPECT_EQ(block_values("{ range = [1, 64], scale = \"log2\", step = 4 }"), "BLOCK: 1 4 16 64");
  EXPECT_EQ(block_values("{ range = [0.5, 2.0], scale = \"log2\" }"), "BLOCK: 0.5 1.0 2.0");
  EXPECT_EQ(block_values("{ range = [0.5, 2], step = 0.5 }"), "BLOCK: 0.5 1.0 1.5 2.0");
}

TEST(KernelDefinition, SpellsRangesThatEndAtOrBelowZeroOutToTheirLastValue) {
  EXPECT_EQ(block_values("{ range = [-3, -1] }"), "BLOCK: -3 -2 -1");
  EXPECT_EQ(block_values("{ range = [-2, 0] }"), "BLOCK: -2 -1 0");
  EXPECT_EQ(block_values("{ range = [-1.0, -0.5], step = 0.25 }"), "BLOCK: -1.0 -0.75 -0.5");
}

TEST(KernelDefinition, MakesARangeOfRealsWhenOnlyTheStepIsOne) {
  EXPECT_EQ(block_values("{ range = [0, 1], step = 0.5 }"), "BLOCK: 0.0 0.5 1.0");
}

TEST(KernelDefinition, FixesAParameterWhereItsConditionDoesNotHold) {
  const TemporaryFolder folder;
  const std::string toml =
      with(kScaleToml, "BLOCK = [32, 64, 128]\nFACTOR = [2, 3]",
           "BLOCK = [32, 64, 128]\nFACTOR = [2, 3]\n"
           "PAD = { values = [0, 1, 2], when = \"FACTOR == 3 && N > 10\" }\n"
           "SKEW = { values = [\"none\", \"row\"], when = \"PAD != 0\", otherwise = \"none\" }\n"
           "DEPTH = { range = [1, 4], scale = \"log2\", when = \"BLOCK >= 64\", otherwise = 2 }");
  const KernelDefinition definition = load_kernel_definition(folder.write(
      "scale.cu", embedded(with(toml, "FACTOR = 2\n", "FACTOR = 2\nPAD = 0\nSKEW = \"none\"\nDEPTH = 4\n"))));
  ASSERT_EQ(definition.constraints.size(), 4U);
  EXPECT_EQ(definition.constraints[2].expression.text(), "(PAD != 0) || SKEW == \"none\"");
  EXPECT_EQ(definition.constraints[3].reason, "DEPTH matters only when BLOCK >= 64, else it is 2");
  const KernelInstance instance(definition, {}, model::fictional_gpu());
  // BLOCK 32: one DEPTH; 64: three; 128 only with FACTOR 2. FACTOR 3: PAD 0 without, 1 and 2 with two SKEWs.
  EXPECT_EQ(instance.space().size(), 1U * (1 + 5) + 3 * (1 + 5) + 3 * 1);
}

TEST(KernelDefinition, TakesAReferenceByConfiguration) {
  const KernelDefinition by_default = load_embedded(kScaleToml + "[check]\nreference = \"configuration\"\n");
  EXPECT_EQ(by_default.check.reference, ReferenceKind::kConfiguration);
  EXPECT_EQ(by_default.check.configuration, by_default.default_configuration);
  const KernelDefinition own = load_embedded(
      kScaleToml + "[check]\nreference = \"configuration\"\nconfiguration = { FACTOR = 3, BLOCK = 32 }\n");
  const NamedValues expected = {{"BLOCK", std::int64_t{32}}, {"FACTOR", std::int64_t{3}}};
  EXPECT_EQ(own.check.configuration, expected);
}

TEST(KernelDefinition, TakesAReferenceByExpressionForOneOutputOrForEach) {
  const KernelDefinition one =
      load_embedded(kScaleToml + "[check]\nreference = \"expression\"\nexpression = \"x[i] * 2\"\n");
  EXPECT_EQ(one.check.reference, ReferenceKind::kExpression);
  EXPECT_THAT(one.check.expressions, ElementsAre(::testing::Pair("y", "x[i] * 2")));
  const std::string second = "[[argument]]\nname = \"z\"\nkind = \"inout\"\ntype = \"f32\"\ncount = \"N\"\n";
  const KernelDefinition both =
      load_embedded(kScaleToml + second +
                    "[check]\nreference = \"expression\"\nexpression = { z = \"1\", y = \"x[i]\" }\n");
  EXPECT_THAT(both.check.expressions, ElementsAre(::testing::Pair("y", "x[i]"), ::testing::Pair("z", "1")));
}

TEST(CheckCases, HaveSizesAndASeed) {
  const KernelDefinition definition = load_embedded(
      kScaleToml +
      "[check]\nreference = \"configuration\"\ncases = [{ sizes = { N = 7 }, seed = 3 }, { seed = 4 }]\n");
  ASSERT_EQ(definition.check.cases.size(), 2U);
  EXPECT_EQ(definition.check.cases[0].sizes, (model::NamedValues{{"N", std::int64_t{7}}}));
  EXPECT_EQ(definition.check.cases[0].seed, 3U);
  EXPECT_TRUE(definition.check.cases[1].sizes.empty());
  EXPECT_EQ(definition.check.cases[1].seed, 4U);
}

TEST(SourceFile, MayBeginWithAByteOrderMark) {
  const TemporaryFolder folder;
  const KernelDefinition definition =
      load_kernel_definition(folder.write("scale.cu", "\xEF\xBB\xBF" + embedded(kScaleToml)));
  EXPECT_EQ(definition.hash, load_embedded(kScaleToml).hash);
}

}  // namespace
}  // namespace warptune::kernel_templates
