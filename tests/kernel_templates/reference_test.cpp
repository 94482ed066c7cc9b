// References of checks: their programs, their launches and the tolerance.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps the source file as long as requests need it.
class Reference : public ::testing::Test {
 protected:
  KernelInstance instance_of(const std::string& toml, const NamedValues& overrides = {}) const {
    return KernelInstance(load_kernel_definition(folder_.write("scale.cu", embedded(toml))), overrides,
                          model::fictional_gpu());
  }
  // The log of a request that compiles, which should be empty. Otherwise the reason why it does not compile.
  static std::string messages_of(const CompileRequest& request) {
    const model::Outcome<CompiledKernel> compiled = compile(request);
    return compiled ? compiled->log : "failed: " + compiled.error().reason;
  }
  TemporaryFolder folder_;
};

const std::string kByEntry =
    kScaleToml +
    "[check]\nreference = \"entry\"\nentry = \"slow<{dtype}>\"\ngrid = [\"ceil_div(N, 256)\"]\nblock = 256\n";

TEST_F(Reference, IsThereOnlyWithACheck) {
  EXPECT_FALSE(instance_of(kScaleToml).has_reference());
  EXPECT_TRUE(instance_of(kByEntry).has_reference());
}

TEST_F(Reference, ByEntryIsCompiledAloneWithTheMacrosOfTheDefault) {
  const CompileRequest request = instance_of(kByEntry).reference_request().value();
  EXPECT_THAT(request.entries, ElementsAre("slow<float>"));
  EXPECT_THAT(request.options, Contains("-DBLOCK=64"));
  EXPECT_THAT(request.options, Contains("-DWARPTUNE_REFERENCE=1"));
  const LaunchPlan plan = instance_of(kByEntry).reference_plan().value();
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].launch()->entry, "slow<float>");
  EXPECT_THAT(plan.steps[0].launch()->grid, ElementsAre(4, 1, 1));
  EXPECT_THAT(plan.steps[0].launch()->block, ElementsAre(256, 1, 1));
}

TEST_F(Reference, IsDefinedInItsOwnProgramOnly) {
  const KernelInstance instance = instance_of(kByEntry);
  EXPECT_THAT(instance.compile_request(instance.default_configuration())->options,
              ::testing::Not(Contains("-DWARPTUNE_REFERENCE=1")));
}

TEST_F(Reference, ByEntryTakesAnyConfigurationWhenThereIsNoDefault) {
  const std::string toml = with(kByEntry, "[default]\nBLOCK = 64\nFACTOR = 2\n", "");
  EXPECT_THAT(instance_of(toml).reference_request()->options, Contains("-DBLOCK=32"));
}

TEST_F(Reference, ByEntryStandsInTheKernelsOwnSourceWhateverTheDefaultVariant) {
  folder_.write("b.cu", "// b\n");
  const std::string toml = with(kByEntry, "[default]\n", "[default]\nVARIANT = \"b\"\n") +
                           "[[variant]]\nname = \"b\"\nsource = \"b.cu\"\n";
  const CompileRequest request = instance_of(toml).reference_request().value();
  EXPECT_EQ(request.program_name, (folder_.path() / "scale.cu").string());
  EXPECT_THAT(request.source, HasSubstr("scale(const dtype"));
}

TEST_F(Reference, ByConfigurationIsThatConfigurationsProgramAndLaunch) {
  const KernelInstance instance = instance_of(
      kScaleToml + "[check]\nreference = \"configuration\"\nconfiguration = { BLOCK = 32, FACTOR = 3 }\n");
  EXPECT_THAT(instance.reference_request()->options, Contains("-DBLOCK=32"));
  EXPECT_THAT(instance.reference_request()->entries, ElementsAre("scale"));
  EXPECT_THAT(instance.reference_plan()->main_launch()->block, ElementsAre(32, 1, 1));
  EXPECT_THAT(instance.reference_plan()->main_launch()->grid, ElementsAre(32, 1, 1));
}

std::string by_expression(const std::string& expression) {
  return kScaleToml + "[check]\nreference = \"expression\"\nexpression = " + expression + "\n";
}

TEST_F(Reference, ByExpressionIsAProgramThatCompilesForEveryType) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  for (const DataTypeInfo& row : data_types()) {
    const KernelInstance instance = instance_of(by_expression("\"x[i] + x[(i + 1) % n] + x[N - 1]\""),
                                                {{"dtype", std::string(row.name)}});
    const CompileRequest request = instance.reference_request().value();
    EXPECT_EQ(messages_of(request), "") << row.name << "\n" << request.source;
    EXPECT_THAT(request.entries, ElementsAre(instance.reference_plan()->main_launch()->entry));
  }
}

TEST_F(Reference, ByExpressionSeesProblemEntriesOfEveryKind) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const std::string toml = with(by_expression("\"weight * x[i] + (fast ? N : 0)\""), "N = 1000",
                                "N = 1000\nweight = 0.5\nfast = true");
  const CompileRequest request = instance_of(toml).reference_request().value();
  EXPECT_EQ(messages_of(request), "") << request.source;
}

TEST_F(Reference, ByExpressionSeesTheTypesThatProblemEntriesName) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  for (const char* type : {"f32", "f64", "f16", "u8"}) {
    const KernelInstance instance = instance_of(by_expression("\"(dtype)2 * x[i] + (dtype)sizeof(dtype)\""),
                                                {{"dtype", std::string(type)}});
    const CompileRequest request = instance.reference_request().value();
    EXPECT_EQ(messages_of(request), "") << type << "\n" << request.source;
  }
}

TEST_F(Reference, ByExpressionLeavesATypesNameToAnArgumentThatHasIt) {
  const std::string toml = with(by_expression("\"x[i] * dtype\""), "name = \"n\"", "name = \"dtype\"");
  EXPECT_THAT(instance_of(toml).reference_request()->options, ::testing::Not(Contains("-Ddtype=float")));
}

const std::string kElsewhere =
    kScaleToml +
    "[check]\nreference = \"entry\"\nentry = \"slow\"\nsource = \"slow.cu\"\ngrid = 4\nblock = 256\n"
    "arguments = [\"y\", { name = \"x\", offset = \"N / 2\" }, { value = \"BLOCK\", type = \"i32\" }]\n";

TEST_F(Reference, ByEntryMayStandInAnotherFile) {
  folder_.write("slow.cu", "#include \"slow.cuh\"\n");
  folder_.write("slow.cuh",
                "__global__ void slow(dtype* y, const dtype* x, int block) { y[0] = x[block]; }\n");
  const CompileRequest request = instance_of(kElsewhere).reference_request().value();
  EXPECT_EQ(request.program_name, (folder_.path() / "slow.cu").string());
  EXPECT_THAT(request.entries, ElementsAre("slow"));
  EXPECT_THAT(request.source, HasSubstr("slow.cuh"));
  EXPECT_THAT(request.options, Contains("-Ddtype=float"));
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  EXPECT_EQ(messages_of(request), "");
}

TEST_F(Reference, ByEntryMayTakeOtherArguments) {
  folder_.write("slow.cu", "");
  const LaunchPlan plan = instance_of(kElsewhere).reference_plan().value();
  const auto& passed = plan.steps[0].launch()->arguments;
  ASSERT_TRUE(passed.has_value());
  ASSERT_EQ(passed->size(), 3U);
  EXPECT_EQ((*passed)[0].argument, 1U);
  EXPECT_EQ((*passed)[1].argument, 0U);
  EXPECT_EQ((*passed)[1].offset_bytes, 2000);
  EXPECT_FALSE((*passed)[2].argument.has_value());
  EXPECT_EQ((*passed)[2].value, (std::vector<std::byte>{std::byte{64}, {}, {}, {}}));
}

TEST_F(Reference, InAnotherFileMayReadOnlyTheFoldersOfTheDefinition) {
  const TemporaryFolder other;
  const std::string outside = other.write("slow.cu", "").string();
  const std::string failure = load_failure(
      folder_.write("scale.cu", embedded(with(kElsewhere, "\"slow.cu\"", "\"" + outside + "\""))));
  EXPECT_THAT(failure, HasSubstr("the source"));
  EXPECT_THAT(failure, HasSubstr("--allow-read"));
  folder_.write("slow.cu", "#include \"" + outside + "\"\n");
  EXPECT_THAT(load_failure(folder_.write("scale.cu", embedded(kElsewhere))), HasSubstr("slow.cu:1:"));
}

TEST_F(Reference, IsNoPartOfTheHash) {
  folder_.write("slow.cu", "");
  EXPECT_EQ(load_kernel_definition(folder_.write("scale.cu", embedded(kElsewhere))).hash,
            load_kernel_definition(folder_.write("scale.cu", embedded(kScaleToml))).hash);
}

TEST_F(Reference, ByExpressionLeavesCommonNamesToTheArguments) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  std::string toml = with(by_expression("\"x[i] * stride + first\""), "name = \"n\"", "name = \"stride\"");
  toml = with(toml, "N = 1000", "N = 1000\nfirst = 4");
  const CompileRequest request = instance_of(toml).reference_request().value();
  EXPECT_EQ(messages_of(request), "") << request.source;
}

TEST_F(Reference, ByExpressionWritesEachOutputToItsOwnCount) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const std::string toml =
      by_expression("{ y = \"x[i]\", z = \"i\" }") +
      "[[argument]]\nname = \"z\"\nkind = \"out\"\ntype = \"f64\"\ncount = \"device_sm_count * 2\"\n";
  const CompileRequest request = instance_of(toml).reference_request().value();
  EXPECT_THAT(request.source, HasSubstr("< 1000;"));
  EXPECT_THAT(request.source, HasSubstr("< 264;"));
  EXPECT_EQ(messages_of(request), "") << request.source;
}

TEST_F(Reference, ByExpressionSaysWhatIsWrongWithTheExpression) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const std::string messages = messages_of(*instance_of(by_expression("\"q[i]\"")).reference_request());
  EXPECT_THAT(messages, HasSubstr("failed: "));
  EXPECT_THAT(messages, HasSubstr("\"q\" is undefined"));
  EXPECT_THAT(messages, HasSubstr("scale.cu"));
}

TEST_F(Reference, HasTheToleranceOfTheTypeWhenNoneIsGiven) {
  const KernelInstance instance = instance_of(kByEntry);
  const std::pair<DataType, double> table[] = {{DataType::kF64, 1e-12}, {DataType::kF32, 1e-5},
                                               {DataType::kF16, 1e-2},  {DataType::kBf16, 5e-2},
                                               {DataType::kI32, 0.0},   {DataType::kU8, 0.0}};
  for (const auto& [type, expected] : table) {
    EXPECT_EQ(instance.tolerance(type).absolute, expected) << info(type).name;
    EXPECT_EQ(instance.tolerance(type).relative, expected) << info(type).name;
  }
}

TEST_F(Reference, MayDeviateWhereTheDefinitionSaysSoOfAConfiguration) {
  const auto is_nondeterministic = [this](const std::string& line, std::int64_t block) {
    return instance_of(kByEntry + line).is_nondeterministic({{"BLOCK", block}, {"FACTOR", std::int64_t{2}}});
  };
  EXPECT_FALSE(is_nondeterministic("", 64));
  EXPECT_TRUE(is_nondeterministic("nondeterministic = true\n", 64));
  EXPECT_FALSE(is_nondeterministic("nondeterministic = false\n", 64));
  EXPECT_TRUE(is_nondeterministic("nondeterministic = \"BLOCK > 64 && N > 10\"\n", 128));
  EXPECT_FALSE(is_nondeterministic("nondeterministic = \"BLOCK > 64 && N > 10\"\n", 64));
}

TEST_F(Reference, TakesTheOtherToleranceForZeroWhenOneIsGiven) {
  const Tolerance absolute = instance_of(kByEntry + "absolute = \"N * 0.5\"\n").tolerance(DataType::kF32);
  EXPECT_EQ(absolute.absolute, 500.0);
  EXPECT_EQ(absolute.relative, 0.0);
  const Tolerance relative = instance_of(kByEntry + "relative = 1e-3\n").tolerance(DataType::kI32);
  EXPECT_EQ(relative.absolute, 0.0);
  EXPECT_EQ(relative.relative, 1e-3);
}

}  // namespace
}  // namespace warptune::kernel_templates
