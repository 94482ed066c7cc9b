#include "kernel_templates/kernel_instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "definitions.h"
#include "kernel_templates/compiling/source_text.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;
using model::Status;
using model::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

KernelInstance instance_of(const std::string& toml, const NamedValues& overrides = {},
                           const model::GpuDescription& gpu = model::fictional_gpu()) {
  return KernelInstance(load_embedded(toml), overrides, gpu);
}

std::string failure_of(const std::string& toml, const NamedValues& overrides = {}) {
  try {
    instance_of(toml, overrides);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

NamedValues configuration(std::int64_t block, std::int64_t factor) {
  return {{"BLOCK", block}, {"FACTOR", factor}};
}

// The definition with the two lines of [launch] and the other lines that the test needs.
std::string with_launch(const std::string& launch) {
  return with(kScaleToml, "grid = [\"ceil_div(N, BLOCK)\"]\nblock = [\"BLOCK\"]\n", launch);
}

model::Rejection rejection_of(const model::Outcome<LaunchPlan>& plan) {
  return plan ? model::Rejection{Status::kMeasured, "a plan"} : plan.error();
}

TEST(Problem, TakesOverridesInTheTypeOfTheEntry) {
  const std::string toml = with(kScaleToml, "N = 1000", "N = 1000\nweight = 0.5");
  const KernelInstance instance = instance_of(toml, {{"N", std::int64_t{77}}, {"weight", std::int64_t{2}}});
  const NamedValues expected = {{"N", std::int64_t{77}}, {"weight", 2.0}, {"dtype", "f32"}};
  EXPECT_EQ(instance.problem(), expected);
}

TEST(Problem, RefusesAnUnknownEntryWithTheNearest) {
  EXPECT_THAT(failure_of(kScaleToml, {{"dtyp", "f32"}}),
              AllOf(HasSubstr("'scale' has no problem entry 'dtyp'"), HasSubstr("did you mean dtype"),
                    HasSubstr("N, dtype")));
}

TEST(Problem, RefusesAValueOfAnotherType) {
  EXPECT_THAT(failure_of(kScaleToml, {{"N", 1.5}}), HasSubstr("--size N=1.5: expected integer such as 1000"));
  EXPECT_THAT(failure_of(kScaleToml, {{"N", "many"}}), HasSubstr("--size N=many"));
}

TEST(Problem, RefusesAValueOutsideItsList) {
  const std::string toml =
      with(kScaleToml, "[parameters]", "[problem_values]\ndtype = [\"f32\", \"f64\"]\n[parameters]");
  EXPECT_THAT(failure_of(toml, {{"dtype", "i8"}}), HasSubstr("dtype=i8: expected one of f32 f64"));
  EXPECT_EQ(failure_of(toml, {{"dtype", "f64"}}), "no error");
}

TEST(Problem, TakesIntegersInTheListOfARealForReals) {
  const std::string toml = with(with(kScaleToml, "N = 1000", "N = 1000\nweight = 0.5"), "[parameters]",
                                "[problem_values]\nweight = [0.5, 1]\n[parameters]");
  EXPECT_EQ(failure_of(toml, {{"weight", std::int64_t{1}}}), "no error");
  EXPECT_THAT(failure_of(toml, {{"weight", std::int64_t{2}}}), HasSubstr("expected one of 0.5 1.0"));
}

TEST(Problem, RefusesATypeThatIsNone) {
  EXPECT_THAT(failure_of(kScaleToml, {{"dtype", "f31"}}), HasSubstr("type 'f31', which is not a data type"));
}

TEST(Problem, RefusesSizesThatAreNotPositiveOrOverflow) {
  EXPECT_THAT(failure_of(kScaleToml, {{"N", std::int64_t{0}}}), HasSubstr("'x' has 0 elements"));
  EXPECT_THAT(failure_of(kScaleToml, {{"N", std::int64_t{-1}}}), HasSubstr("'x' has -1 elements"));
  EXPECT_THAT(failure_of(kScaleToml, {{"N", kHuge}}), HasSubstr("'x' has 4611686018427387904 elements"));
  EXPECT_THAT(failure_of(with(kScaleToml, "count = \"N\"", "count = \"N * N\""), {{"N", kHuge}}),
              AllOf(HasSubstr("'N * N'"), HasSubstr("overflow")));
  EXPECT_THAT(failure_of(kScaleToml, {{"N", kHuge / 4}, {"dtype", "f32"}}), HasSubstr("overflow"));
}

TEST(Problem, RefusesBuffersThatExceedTheGpu) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.memory_bytes = 8000;
  EXPECT_NO_THROW(instance_of(kScaleToml, {}, gpu));
  gpu.memory_bytes = 7999;
  try {
    instance_of(kScaleToml, {}, gpu);
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the GPU has"));
  }
}

TEST(Problem, CountsTheBytesOfBuffersWithoutScratchAndScalars) {
  const std::string scratch =
      "[[argument]]\nname = \"s\"\nkind = \"scratch\"\ntype = \"f64\"\ncount = \"BLOCK * 1000\"\n";
  EXPECT_EQ(instance_of(kScaleToml + scratch, {{"dtype", "f64"}}).buffer_bytes(), 16000);
}

TEST(Problem, LeavesScratchThatAConfigurationCannotHaveToThatConfiguration) {
  const std::string scratch =
      "[[argument]]\nname = \"s\"\nkind = \"scratch\"\ntype = \"f32\"\ncount = \"BLOCK - 32\"\n";
  const KernelInstance instance = instance_of(kScaleToml + scratch);
  EXPECT_EQ(instance.buffer_bytes(), 8000);
  const auto broken = instance.arguments(configuration(32, 2));
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().reason, HasSubstr("'s' has 0 elements"));
  EXPECT_EQ(instance.arguments(configuration(64, 2))->back().count, 32);
}

TEST(Space, ThatIsEmptyIsAnErrorThatNamesTheProblem) {
  const std::string toml = with(kScaleToml, "BLOCK * FACTOR <= 256", "BLOCK * FACTOR <= N");
  EXPECT_THAT(failure_of(toml, {{"N", std::int64_t{63}}}),
              AllOf(HasSubstr("the space of 'scale' is empty for N=63 dtype=f32"),
                    HasSubstr("no configuration meets the constraint 'BLOCK * FACTOR <= N' (line 14)")));
}

TEST(Space, ThatIsEmptyNamesOnlyTheConstraintsThatConflict) {
  const std::string toml =
      with(kScaleToml, "\"BLOCK * FACTOR <= 256\"",
           "\"FACTOR < 9\", \"BLOCK >= 64\", \"BLOCK != 999\",\n\"BLOCK * FACTOR < 128\"");
  const std::string failure = failure_of(toml);
  EXPECT_THAT(failure,
              HasSubstr("no configuration meets these constraints together: 'BLOCK >= 64' (line 14), "
                        "'BLOCK * FACTOR < 128' (line 15)"));
  EXPECT_THAT(failure, Not(HasSubstr("FACTOR < 9")));
}

TEST(Problem, ThatIsWrongBlamesTheGivenSizesAndNotTheDefinition) {
  const std::string failure = failure_of(kScaleToml, {{"N", std::int64_t{0}}});
  EXPECT_THAT(failure, HasSubstr("for the given sizes N=0: "));
  EXPECT_THAT(failure, Not(HasSubstr("scale.cu")));
}

TEST(Space, SeesTheProblemAndTheGpu) {
  const std::string toml =
      with(kScaleToml, "BLOCK * FACTOR <= 256",
           "BLOCK * FACTOR <= N && BLOCK <= device_max_threads_per_block && sizeof(dtype) == 4");
  EXPECT_EQ(instance_of(toml, {{"N", std::int64_t{128}}}).space().size(), 3U);  // 32x2 32x3 64x2
  model::GpuDescription small = model::fictional_gpu();
  small.max_threads_per_block = 32;
  EXPECT_EQ(instance_of(toml, {{"N", std::int64_t{128}}}, small).space().size(), 2U);
}

TEST(DefaultConfiguration, IsDroppedWhenAGivenSizeMakesItInvalid) {
  const std::string toml = with(kScaleToml, "BLOCK * FACTOR <= 256", "BLOCK <= N");
  EXPECT_EQ(instance_of(toml).default_configuration(), configuration(64, 2));
  EXPECT_EQ(instance_of(toml, {{"N", std::int64_t{64}}}).default_configuration(), configuration(64, 2));
  EXPECT_THAT(instance_of(toml, {{"N", std::int64_t{63}}}).default_configuration(), IsEmpty());
}

TEST(DefaultConfiguration, IsDroppedWhenTheGpuMakesItInvalid) {
  const std::string toml = with(kScaleToml, "BLOCK * FACTOR <= 256", "BLOCK <= device_max_threads_per_block");
  model::GpuDescription small = model::fictional_gpu();
  small.max_threads_per_block = 32;
  EXPECT_EQ(instance_of(toml).default_configuration(), configuration(64, 2));
  EXPECT_THAT(instance_of(toml, {}, small).default_configuration(), IsEmpty());
}

TEST(Arguments, HaveTheirTypesCountsAndScalars) {
  const auto arguments = instance_of(kScaleToml, {{"dtype", "f16"}}).arguments(configuration(32, 2));
  ASSERT_TRUE(arguments.has_value());
  ASSERT_EQ(arguments->size(), 3U);
  EXPECT_EQ((*arguments)[0].type, DataType::kF16);
  EXPECT_EQ((*arguments)[0].bytes(), 2000);
  EXPECT_EQ((*arguments)[1].kind, ArgumentKind::kOut);
  EXPECT_EQ((*arguments)[2].type, DataType::kI64);
  EXPECT_EQ((*arguments)[2].scalar, Value(std::int64_t{1000}));
  EXPECT_EQ((*arguments)[2].bytes(), 0);
}

TEST(Arguments, RefuseAScalarThatItsTypeCannotHold) {
  const auto with_scalar = [](const std::string& type, const std::string& value) {
    return failure_of(
        with(kScaleToml, "type = \"i64\"\nvalue = \"N\"", "type = \"" + type + "\"\nvalue = " + value));
  };
  EXPECT_THAT(with_scalar("i32", "\"N * 10000000\""),
              AllOf(HasSubstr("'n': the value is 10000000000"), HasSubstr("i32")));
  EXPECT_THAT(with_scalar("u32", "-1"), AllOf(HasSubstr("'n': the value is -1"), HasSubstr("u32")));
  EXPECT_THAT(with_scalar("u64", "-1"), HasSubstr("u64"));
  EXPECT_THAT(with_scalar("i8", "128"), HasSubstr("i8"));
  EXPECT_THAT(with_scalar("i32", "2.5"), HasSubstr("2.5"));
  EXPECT_THAT(with_scalar("f32", "\"dtype\""), HasSubstr("expected a number"));
  EXPECT_EQ(with_scalar("i8", "-128"), "no error");
  EXPECT_EQ(with_scalar("u8", "255"), "no error");
  EXPECT_EQ(with_scalar("u8", "true"), "no error");
  EXPECT_EQ(with_scalar("i32", "2.0"), "no error");
  EXPECT_EQ(with_scalar("f32", "2.5"), "no error");
}

TEST(LaunchPlans, HaveTheNumbersOfTheExpressions) {
  const KernelInstance instance =
      instance_of(with_launch("grid = [\"ceil_div(N, BLOCK)\", 2]\nblock = [\"BLOCK\", \"FACTOR\", 1]\n"
                              "shared_bytes = \"BLOCK * sizeof(dtype)\"\ncluster = [1, 2]\n"));
  const auto plan = instance.launch_plan(configuration(64, 3));
  ASSERT_TRUE(plan.has_value()) << plan.error().reason;
  ASSERT_EQ(plan->steps.size(), 1U);
  EXPECT_EQ(plan->main, 0U);
  const LaunchStep& step = *plan->main_launch();
  EXPECT_EQ(step.entry, "scale");
  EXPECT_THAT(step.grid, ElementsAre(16, 2, 1));
  EXPECT_THAT(step.block, ElementsAre(64, 3, 1));
  EXPECT_THAT(step.cluster, ElementsAre(1, 2, 1));
  EXPECT_EQ(step.shared_bytes, 256);
}

// A launch `clear` before and a launch `combine` after the main one, each with a condition.
std::string several_launches() {
  return with(kScaleToml, "[[argument]]",
              "[[launch.before]]\nentry = \"clear<{BLOCK}>\"\ngrid = 1\nblock = 32\nwhen = \"FACTOR == 2\"\n"
              "[[launch.after]]\nentry = \"combine\"\ngrid = 1\nblock = 32\nwhen = \"BLOCK > 32\"\n"
              "[[launch.after]]\nentry = \"finish\"\ngrid = 1\nblock = 32\n[[argument]]");
}

std::vector<std::string> entries(const LaunchPlan& plan) {
  std::vector<std::string> names;
  for (const PlanStep& step : plan.steps) names.push_back(step.launch()->entry);
  return names;
}

TEST(LaunchPlans, HoldTheLaunchesWhoseConditionsHoldInOrder) {
  const KernelInstance instance = instance_of(several_launches());
  const LaunchPlan all = instance.launch_plan(configuration(64, 2)).value();
  EXPECT_THAT(entries(all), ElementsAre("clear<64>", "scale", "combine", "finish"));
  EXPECT_EQ(all.main, 1U);
  const LaunchPlan few = instance.launch_plan(configuration(32, 3)).value();
  EXPECT_THAT(entries(few), ElementsAre("scale", "finish"));
  EXPECT_EQ(few.main, 0U);
}

TEST(LaunchPlans, AreRejectedWithTheExpressionThatHasNoValue) {
  const KernelInstance instance =
      instance_of(with_launch("grid = [\"N / (FACTOR - 2)\"]\nblock = \"(BLOCK - 32) * 2\"\n"));
  EXPECT_THAT(rejection_of(instance.launch_plan(configuration(64, 2))).reason,
              HasSubstr("'N / (FACTOR - 2)'"));
  EXPECT_THAT(rejection_of(instance.launch_plan(configuration(32, 3))).reason,
              HasSubstr("'(BLOCK - 32) * 2' is 0, expected 1 or more"));
  EXPECT_TRUE(instance.launch_plan(configuration(64, 3)).has_value());
}

TEST(Screening, RejectsWhatTheGpuCannotRunAndSaysWhy) {
  const struct {
    const char* launch;
    const char* reason;
  } table[] = {
      {"grid = 1\nblock = [\"BLOCK\", 32]\n", "has 64x32x1 threads per block, but the GPU allows 1024"},
      {"grid = 1\nblock = [1, 1, \"65 + 0 * BLOCK\"]\n", "1x1x65 threads"},
      {"grid = 1\nblock = [\"N * N * N * N * BLOCK / 64\", \"N * N * N * BLOCK / 64\"]\n",
       "threads per block"},
      {"grid = [\"N * N * N * N * BLOCK / 64\"]\nblock = 1\n",
       "1000000000000 blocks in dimension 0, but the GPU allows 2147483647"},
      {"grid = [1, \"65472 + BLOCK\"]\nblock = 1\n", "65536 blocks in dimension 1, but the GPU allows 65535"},
      {"grid = [1, 1, \"65472 + BLOCK\"]\nblock = 1\n", "65536 blocks in dimension 2"},
      {"grid = 1\nblock = 1\nshared_bytes = \"227 * 1024 + 1\"\n",
       "needs 232449 bytes of dynamic shared memory"},
      {"grid = 1\nblock = 1\nshared_bytes = \"-BLOCK\"\n", "shared_bytes is -64"}};
  for (const auto& row : table) {
    const model::Rejection rejection =
        rejection_of(instance_of(with_launch(row.launch)).screened_plan(configuration(64, 2)));
    EXPECT_EQ(rejection.status, Status::kLaunchInvalid);
    EXPECT_THAT(rejection.reason, HasSubstr(row.reason));
  }
}

TEST(Screening, PassesWhatStandsAtTheLimits) {
  for (const char* launch :
       {"grid = [2147483647, 65535, 65535]\nblock = [1024]\nshared_bytes = \"227 * 1024\"\n",
        "grid = 1\nblock = [1, 16, 64]\n"}) {
    EXPECT_TRUE(instance_of(with_launch(launch)).screened_plan(configuration(64, 2)).has_value()) << launch;
  }
}

TEST(CompileRequests, NameTheSourceTheEntriesAndTheArchitecture) {
  const TemporaryFolder folder;
  const std::string text = embedded(several_launches());
  const std::string code = compiling::split_source(text, "scale.cu").code;
  const std::filesystem::path file = folder.write("scale.cu", text);
  const KernelInstance instance(load_kernel_definition(file), {}, model::fictional_gpu());
  const CompileRequest request = instance.compile_request(configuration(32, 3)).value();
  EXPECT_EQ(request.program_name, file.string());
  EXPECT_EQ(request.source, code) << "without the description, at the same lines";
  EXPECT_EQ(request.architecture, "sm_90");
  EXPECT_THAT(request.entries, ElementsAre("scale", "clear<32>", "combine", "finish"))
      << "whatever the conditions";
}

// A definition in a folder that exists until the end of the test.
class CompileOptions : public ::testing::Test {
 protected:
  std::vector<std::string> options(const std::string& toml, const NamedValues& overrides = {},
                                   const NamedValues& chosen = configuration(64, 2),
                                   const std::string& code = kScaleCode) {
    const KernelDefinition definition =
        load_kernel_definition(folder_.write("scale.cu", embedded(toml, code)));
    const KernelInstance instance(definition, overrides, model::fictional_gpu());
    const auto request = instance.compile_request(chosen);
    return request ? request->options : std::vector<std::string>{"rejected: " + request.error().reason};
  }
  TemporaryFolder folder_;
};

TEST_F(CompileOptions, AreMacrosOfParametersAndTypesButNotOfSizes) {
  const std::vector<std::string> all = options(kScaleToml, {{"dtype", "f64"}});
  EXPECT_EQ(all.front(), "-std=c++17");
  for (const char* expected : {"-DWARPTUNE=1", "-DBLOCK=64", "-DFACTOR=2", "-Ddtype=double"})
    EXPECT_THAT(all, Contains(expected));
  EXPECT_THAT(all, Contains("-I" + folder_.path().string()));
  EXPECT_THAT(all, Not(Contains(::testing::StartsWith("-DN="))));
}

TEST_F(CompileOptions, SpellBooleansRealsAndTexts) {
  std::string toml =
      with(kScaleToml, "FACTOR = [2, 3]", "FACTOR = [2, 3]\nFAST = [true]\nRATE = [0.5]\nLOAD = [\"ldg\"]");
  toml = with(toml, "[default]\nBLOCK = 64\nFACTOR = 2\n", "");
  NamedValues chosen = configuration(64, 2);
  chosen.insert(chosen.end(), {{"FAST", true}, {"RATE", 0.5}, {"LOAD", "ldg"}});
  const std::vector<std::string> all =
      options(toml, {}, chosen, kScaleCode + "constexpr float kAll = FAST * RATE * LOAD;\n");
  for (const char* expected : {"-DFAST=1", "-DRATE=0.5", "-DLOAD=ldg"}) EXPECT_THAT(all, Contains(expected));
}

TEST_F(CompileOptions, HoldDefinesFlagsAndIncludeFolders) {
  const std::string toml = with(kScaleToml, "entry = \"scale\"",
                                "entry = \"scale\"\nlanguage = \"c++20\"\ninclude = [\"include\"]\n"
                                "flags = [\"-lineinfo\", \"-maxrregcount={BLOCK}\", \"{EXTRA}\", \"{dtype == "
                                "'f32' ? '-w -restrict' : ''}\"]\n"
                                "defines = { TILES = \"ceil_div(N, BLOCK)\", WIDE = \"FACTOR > 2\" }");
  const std::string extra = with(toml, "N = 1000", "N = 1000\nEXTRA = \"\"");
  const std::vector<std::string> all =
      options(extra, {}, configuration(64, 2), kScaleCode + "int x = TILES + WIDE;\n");
  EXPECT_EQ(all.front(), "-std=c++20");
  for (const char* expected : {"-DTILES=16", "-DWIDE=0", "-lineinfo", "-maxrregcount=64", "-w", "-restrict"})
    EXPECT_THAT(all, Contains(expected));
  EXPECT_THAT(all, Contains("-I" + (folder_.path() / "include").string()));
  EXPECT_THAT(all, Not(Contains("")));
  EXPECT_THAT(options(extra, {{"EXTRA", "-G"}, {"dtype", "f64"}}),
              AllOf(Contains("-G"), Not(Contains("-w"))));
}

// The source without its launch bounds: BLOCK is only a launch parameter then.
const std::string kFreeOfBlock = with(kScaleCode, "__launch_bounds__(BLOCK) ", "");

TEST_F(CompileOptions, LeaveOutMacrosThatNothingMentions) {
  const std::vector<std::string> all = options(kScaleToml, {}, configuration(64, 2), kFreeOfBlock);
  EXPECT_THAT(all, Contains("-DFACTOR=2"));
  EXPECT_THAT(all, Not(Contains(::testing::StartsWith("-DBLOCK"))));
  EXPECT_EQ(all, options(kScaleToml, {}, configuration(32, 2), kFreeOfBlock));
  EXPECT_THAT(options(kScaleToml, {}, configuration(64, 2), kFreeOfBlock + "// BLOCK /* BLOCK\n/* BLOCK\n*/"),
              Not(Contains("-DBLOCK=64")))
      << "comments mention nothing";
}

TEST_F(CompileOptions, KeepMacrosThatAreMentionedAnywhereElse) {
  folder_.write("inner.cuh", "constexpr int kBlock = BLOCK;\n");
  folder_.write("outer.cuh", "#include \"inner.cuh\"\n");
  const std::string by_entry = with(kScaleToml, "entry = \"scale\"", "entry = \"scale<BLOCK>\"");
  const std::string by_flag =
      with(kScaleToml, "entry = \"scale\"", "entry = \"scale\"\nflags = [\"-DX=BLOCK\"]");
  const std::string by_value =
      with(with(kScaleToml, "FACTOR = [2, 3]", "FACTOR = [\"BLOCK\"]"), "[\"BLOCK * FACTOR <= 256\"]", "[]");
  EXPECT_THAT(options(kScaleToml, {}, configuration(64, 2), "#include \"outer.cuh\"\n" + kFreeOfBlock),
              Contains("-DBLOCK=64"));
  EXPECT_THAT(options(by_entry, {}, configuration(64, 2), kFreeOfBlock), Contains("-DBLOCK=64"));
  EXPECT_THAT(options(by_flag, {}, configuration(64, 2), kFreeOfBlock), Contains("-DBLOCK=64"));
  EXPECT_THAT(options(with(by_value, "[default]\nBLOCK = 64\nFACTOR = 2\n", ""), {},
                      {{"BLOCK", std::int64_t{64}}, {"FACTOR", "BLOCK"}}, kFreeOfBlock),
              Contains("-DBLOCK=64"));
}

TEST_F(CompileOptions, KeepAllMacrosWhereNamesMayBeFormedOrIncludesAreUnknown) {
  for (const std::string code : {"#define JOIN(a, b) a##b\n", "#include <no_such_header>\n",
                                 "#define WHICH <a.h>\n#include WHICH\n"}) {
    EXPECT_THAT(options(kScaleToml, {}, configuration(64, 2), code + kFreeOfBlock), Contains("-DBLOCK=64"))
        << code;
  }
}

TEST_F(CompileOptions, AreRejectedWithThePlaceholderOrDefineThatHasNoValue) {
  const auto reason = [&](const std::string& line) {
    return options(with(kScaleToml, "entry = \"scale\"", "entry = \"scale\"\n" + line)).front();
  };
  EXPECT_THAT(reason("flags = [\"--maxrregcount={N / (FACTOR - 2)}\"]"),
              AllOf(HasSubstr("rejected"), HasSubstr("{N / (FACTOR - 2)}")));
  EXPECT_THAT(reason("defines = { BAD = \"N / (FACTOR - 2)\" }"), HasSubstr("rejected: the define BAD: "));
}

TEST(Variants, ChooseTheEntryAndTheSource) {
  const TemporaryFolder folder;
  folder.write("b.cu", "// b\n");
  const std::string toml =
      with(kScaleToml, "[default]\n", "[default]\nVARIANT = \"a\"\n") +
      "[[variant]]\nname = \"a\"\nentry = \"scale<{BLOCK}>\"\n[[variant]]\nname = \"b\"\n"
      "entry = \"other\"\nsource = \"b.cu\"\n";
  const KernelInstance instance(load_kernel_definition(folder.write("scale.cu", embedded(toml))), {},
                                model::fictional_gpu());
  EXPECT_EQ(instance.space().size(), 2 * 5U);
  NamedValues chosen = configuration(64, 2);
  chosen.insert(chosen.begin(), {"VARIANT", "a"});
  EXPECT_THAT(instance.compile_request(chosen)->entries, ElementsAre("scale<64>"));
  chosen.front().second = "b";
  EXPECT_THAT(instance.compile_request(chosen)->entries, ElementsAre("other"));
  EXPECT_EQ(instance.compile_request(chosen)->source, "// b\n");
  EXPECT_EQ(instance.launch_plan(chosen)->main_launch()->entry, "other");
}

TEST(Work, FollowsTheProblem) {
  const std::string toml = kScaleToml + "[work]\nflops = \"2 * N\"\nbytes = \"2.5 * N * sizeof(dtype)\"\n";
  const KernelInstance instance = instance_of(toml, {{"N", std::int64_t{10}}, {"dtype", "f64"}});
  EXPECT_EQ(instance.work().flops, 20.0);
  EXPECT_EQ(instance.work().bytes, 200.0);
  EXPECT_EQ(instance_of(kScaleToml).work().flops, 0.0);
  EXPECT_EQ(instance.work().unit, model::ArithmeticUnit::kFp32);
  EXPECT_EQ(instance_of(kScaleToml + "[work]\nunit = \"tensor\"\n").work().unit,
            model::ArithmeticUnit::kTensor);
  EXPECT_THAT(failure_of(kScaleToml + "[work]\nflops = \"dtype\"\n"),
              HasSubstr("'dtype' is text, expected a number"));
}

}  // namespace
}  // namespace warptune::kernel_templates
