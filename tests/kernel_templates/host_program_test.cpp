// [host] sections: how they are read, how they are evaluated for a configuration, and the errors of malformed
// ones.

#include "kernel_templates/host_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;
using model::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kCode = R"(
extern "C" __global__ void scale(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void finish(const float*, float*, float*, long long) {}
)";

const std::string kPipelineToml = R"toml([kernel]
[problem]
N = 1000
[parameters]
CHUNKS = [1, 3, 8]
MEMORY = ["pinned", "pageable"]
SUBMIT = ["stream", "graph"]
[default]
CHUNKS = 3
MEMORY = "pinned"
SUBMIT = "stream"
[host]
streams = "CHUNKS == 1 ? 1 : 2"
graph = "SUBMIT == 'graph'"
[[host.loop]]
times = "CHUNKS"
stream = "k % 2"
[[host.loop.step]]
copy = { from = "x_host", to = "x", offset = "k * ceil_div(N, CHUNKS)", count = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))" }
[[host.loop.step]]
launch = "scale"
grid = ["ceil_div(ceil_div(N, CHUNKS), 128)"]
block = [128]
arguments = [{ name = "x", offset = "k * ceil_div(N, CHUNKS)" }, { name = "y" }, { value = "k + 1", type = "i64" }]
[[host.loop]]
[[host.loop.step]]
wait = "1"
when = "CHUNKS > 1"
[[host.loop.step]]
fill = { buffer = "y", offset = 10, byte = 7 }
[[host.loop.step]]
synchronise = true
when = "SUBMIT != 'graph'"
[[host.loop.step]]
launch = "finish"
grid = [2]
block = [32]
cooperative = true
stream = "min(CHUNKS, 2) - 1"
[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = "MEMORY"
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "x"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
)toml";

KernelInstance pipeline_instance(const std::string& toml, const NamedValues& overrides = {}) {
  return {load_embedded(toml, kCode), overrides, model::fictional_gpu()};
}

NamedValues configuration(std::int64_t chunks, const std::string& submit = "stream",
                          const std::string& memory = "pinned") {
  return {{"CHUNKS", chunks}, {"MEMORY", memory}, {"SUBMIT", submit}};
}

// A line for each step: its action and its stream.
std::vector<std::string> lines_of(const LaunchPlan& plan) {
  struct Line {
    std::string operator()(const LaunchStep& step) const {
      return step.entry + (step.cooperative ? " cooperative" : "");
    }
    std::string operator()(const CopyStep& step) const {
      return "copy " + std::to_string(step.from.bytes) + " at " + std::to_string(step.from.offset_bytes);
    }
    std::string operator()(const FillStep& step) const {
      return "fill " + std::to_string(step.range.bytes) + " at " + std::to_string(step.range.offset_bytes);
    }
    std::string operator()(const PrefetchStep& /*step*/) const { return "prefetch"; }
    std::string operator()(const MatrixProductStep& step) const {
      return std::string("product") + (step.pedantic ? " pedantic" : "");
    }
    std::string operator()(const WaitStep& step) const { return "wait " + std::to_string(step.stream); }
    std::string operator()(const AllocateStep& step) const {
      return fmt::format("allocate {}{}", step.bytes, step.from_pool ? " from the pool" : "");
    }
    std::string operator()(const SynchroniseStep& /*step*/) const { return "synchronise"; }
  };
  std::vector<std::string> lines;
  for (const PlanStep& step : plan.steps)
    lines.push_back(std::visit(Line{}, step.action) + " on " + std::to_string(step.stream));
  return lines;
}

std::string reason_of(const std::string& toml, const NamedValues& chosen = configuration(3)) {
  const auto plan = pipeline_instance(toml).launch_plan(chosen);
  if (plan) return "a plan";
  EXPECT_EQ(plan.error().status, Status::kLaunchInvalid);
  return plan.error().reason;
}

// The definition with this step instead of the steps of the second loop.
std::string with_step(const std::string& step) {
  const std::size_t from = kPipelineToml.find("[[host.loop.step]]\nwait");
  const std::size_t to = kPipelineToml.find("[[argument]]");
  return kPipelineToml.substr(0, from) + "[[host.loop.step]]\n" + step + "\n" + kPipelineToml.substr(to);
}

std::string products(const std::string& type_of_a, const std::string& type_of_c, const std::string& with_math,
                     const std::string& count = "64") {
  std::string text =
      with_step("call = \"cublas_gemm\"\nwith = { a = \"a\", b = \"a\", c = \"c\", m = 8, n = 8, k = 8" +
                with_math + " }");
  for (const auto& [name, kind, type] :
       {std::tuple{"a", "in", type_of_a}, std::tuple{"c", "out", type_of_c}}) {
    text.append("[[argument]]\nname = \"").append(name).append("\"\nkind = \"").append(kind);
    text.append("\"\ntype = \"").append(type).append("\"\ncount = ").append(count).append("\n");
  }
  return text;
}

TEST(HostPrograms, AreUnrolledInOrderWithTheirStreams) {
  const LaunchPlan plan = pipeline_instance(kPipelineToml).launch_plan(configuration(3)).value();
  EXPECT_TRUE(plan.host_program);
  EXPECT_FALSE(plan.graph);
  EXPECT_EQ(plan.streams, 2U);
  EXPECT_THAT(lines_of(plan),
              ElementsAre("copy 1336 at 0 on 0", "scale on 0", "copy 1336 at 1336 on 1", "scale on 1",
                          "copy 1328 at 2672 on 0", "scale on 0", "wait 1 on 0", "fill 3960 at 40 on 0",
                          "synchronise on 0", "finish cooperative on 1"));
}

TEST(HostPrograms, LeaveOutStepsWhoseConditionsDoNotHold) {
  const LaunchPlan plan = pipeline_instance(kPipelineToml).launch_plan(configuration(1, "graph")).value();
  EXPECT_TRUE(plan.graph);
  EXPECT_EQ(plan.streams, 1U);
  EXPECT_THAT(lines_of(plan), ElementsAre("copy 4000 at 0 on 0", "scale on 0", "fill 3960 at 40 on 0",
                                          "finish cooperative on 0"));
}

TEST(HostPrograms, PassArgumentsWithOffsetsAndValuesOfTheTurn) {
  const LaunchPlan plan = pipeline_instance(kPipelineToml).launch_plan(configuration(3)).value();
  const std::vector<PassedArgument>& passed = plan.steps[3].launch()->arguments.value();
  ASSERT_EQ(passed.size(), 3U);
  EXPECT_EQ(passed[0].argument, 2U);  // x
  EXPECT_EQ(passed[0].offset_bytes, 1336);
  EXPECT_EQ(passed[1].argument, 1U);  // y
  EXPECT_EQ(passed[1].offset_bytes, 0);
  EXPECT_FALSE(passed[2].argument.has_value());
  EXPECT_THAT(passed[2].value, ElementsAre(std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0},
                                           std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}));
  EXPECT_FALSE(plan.steps.back().launch()->arguments.has_value()) << "all in order where none are named";
}

TEST(HostPrograms, AreRepresentedByTheFirstLaunchOfTheKernelsEntry) {
  const KernelInstance first = pipeline_instance(kPipelineToml);
  EXPECT_EQ(first.definition().entry, "scale");
  EXPECT_EQ(first.launch_plan(configuration(3))->main_launch()->entry, "scale");
  const KernelInstance named =
      pipeline_instance(with(kPipelineToml, "[kernel]", "[kernel]\nentry = \"finish\""));
  EXPECT_EQ(named.launch_plan(configuration(3))->main_launch()->entry, "finish");
}

TEST(HostPrograms, LaunchTheVariantsEntryForTheKernels) {
  const std::string toml =
      with(with(kPipelineToml, "[default]", "[default]\nVARIANT = \"two\""), "[[argument]]\nname = \"n\"",
           "[[variant]]\nname = \"one\"\n[[variant]]\nname = \"two\"\nentry = \"other\"\n"
           "[[argument]]\nname = \"n\"");
  const KernelInstance instance = pipeline_instance(toml);
  for (const auto& [variant, entry] : {std::pair{"one", "scale"}, std::pair{"two", "other"}}) {
    NamedValues chosen = configuration(1);
    chosen.insert(chosen.begin(), {"VARIANT", std::string(variant)});
    EXPECT_EQ(instance.launch_plan(chosen)->main_launch()->entry, entry);
  }
}

TEST(HostPrograms, CompileWhatLaunchesAlone) {
  const std::string toml = with(kPipelineToml, "grid = [2]", "when = \"CHUNKS == 8\"\ngrid = [2]");
  const TemporaryFolder folder;
  const KernelInstance instance(load_kernel_definition(folder.write("scale.cu", embedded(toml, kCode))), {},
                                model::fictional_gpu());
  EXPECT_THAT(instance.compile_request(configuration(8))->entries, ElementsAre("scale", "finish"));
  EXPECT_THAT(instance.compile_request(configuration(3))->entries, ElementsAre("scale"));
}

TEST(HostPrograms, WithoutAKernelHaveNoMainLaunchAndCompile) {
  const std::string none =
      with(with_step("fill = { buffer = \"y\", byte = 0 }"), "times = \"CHUNKS\"", "times = 0");
  const TemporaryFolder folder;
  const KernelInstance instance(load_kernel_definition(folder.write("scale.cu", embedded(none, kCode))), {},
                                model::fictional_gpu());
  EXPECT_EQ(instance.screened_plan(configuration(3))->main_launch(), nullptr);
  const auto request = instance.compile_request(configuration(3));
  ASSERT_TRUE(request.has_value()) << request.error().reason;
  EXPECT_TRUE(request->entries.empty());
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC is missing";
  EXPECT_TRUE(compile(*request).has_value());
}

TEST(HostPrograms, ArePartOfTheHash) {
  const std::string hash = load_embedded(kPipelineToml, kCode).hash;
  for (const auto& [old_part, new_part] :
       {std::pair{"stream = \"k % 2\"", "stream = 0"}, std::pair{"offset = 10", "offset = 11"},
        std::pair{"wait = \"1\"", "wait = \"0\""}, std::pair{"cooperative = true", "cooperative = false"},
        std::pair{"memory = \"MEMORY\"", "memory = \"pinned\""},
        std::pair{"value = \"k + 1\"", "value = \"k + 2\""},
        std::pair{"graph = \"SUBMIT == 'graph'\"", "graph = true"}}) {
    EXPECT_NE(load_embedded(with(kPipelineToml, old_part, new_part), kCode).hash, hash) << new_part;
  }
}

TEST(HostPrograms, AreScreenedAgainstTheGpu) {
  const auto plan = pipeline_instance(with(kPipelineToml, "block = [32]", "block = [\"4000 + 32 * CHUNKS\"]"))
                        .screened_plan(configuration(3));
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().reason, HasSubstr("finish has 4096x1x1 threads per block"));
}

TEST(HostRanges, PastABuffersEndAreRejectedWithTheTurn) {
  EXPECT_THAT(
      reason_of(
          with(kPipelineToml, "offset = \"k * ceil_div(N, CHUNKS)\", count", "offset = \"k * 400\", count")),
      HasSubstr(
          "the copy from \"x_host\" to \"x\": \"x_host\": 332 elements from element 800 on are needed where "
          "k is 2, but it has 1000"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "{ name = \"x\", offset = \"k * ceil_div(N, CHUNKS)\" }",
                             "{ name = \"x\", offset = \"k * 600\" }")),
              HasSubstr("the offset into \"x\": 'k * 600' is 1200 where k is 2, expected 0 to 1000"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "offset = 10", "offset = 1000")),
              HasSubstr("the fill of \"y\": the offset '1000' is 1000"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "offset = 10", "count = 1001")),
              HasSubstr("1001 elements from element 0 on are needed where k is 0, but it has 1000"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "offset = 10", "offset = -1")), HasSubstr("expected 0 to 999"));
}

TEST(HostStreams, ThatDoNotExistAreRejected) {
  EXPECT_THAT(reason_of(with(kPipelineToml, "stream = \"k % 2\"", "stream = \"k\"")),
              HasSubstr("stream: 'k' is 2 where k is 2, expected 0 to 1"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "wait = \"1\"", "wait = \"2\"")),
              HasSubstr("wait: '2' is 2, expected 0 to 1"));
  EXPECT_EQ(reason_of(with(kPipelineToml, "streams = \"CHUNKS == 1 ? 1 : 2\"", "streams = \"CHUNKS - 3\"")),
            "streams: 'CHUNKS - 3' is 0, expected 1 to 64");
}

TEST(HostCopies, MustNotOverlapNorChangeTheType) {
  EXPECT_THAT(reason_of(with_step("copy = { from = \"y\", to = \"y\", to_offset = 10, count = 20 }")),
              HasSubstr("they overlap"));
  EXPECT_EQ(reason_of(with_step("copy = { from = \"y\", to = \"y\", to_offset = 20, count = 20 }")),
            "a plan");
  EXPECT_THAT(reason_of(with(with_step("copy = { from = \"y\", to = \"x\" }"),
                             "kind = \"scratch\"\ntype = \"f32\"", "kind = \"scratch\"\ntype = \"f64\"")),
              HasSubstr("the first has elements of type f32, the second of type f64"));
  EXPECT_THAT(reason_of(with_step("copy = { from = \"y\", to = \"x\", to_offset = 10 }")),
              HasSubstr("4000 bytes do not fit into 3960; give a count"));
}

TEST(HostPrograms, OfTooManyStepsAreRejected) {
  EXPECT_THAT(reason_of(with(kPipelineToml, "times = \"CHUNKS\"", "times = 100001")),
              HasSubstr("expected 0 to 100000"));
  EXPECT_THAT(reason_of(with(with_step("fill = { buffer = \"y\", byte = 0 }"),
                             "[[host.loop]]\n[[host.loop.step]]\nfill",
                             "[[host.loop]]\ntimes = 100000\n[[host.loop.step]]\nfill")),
              HasSubstr("more than 100000 steps"));
}

TEST(HostPrograms, AreTimedByTheHostUnlessTheySayOtherwise) {
  EXPECT_TRUE(pipeline_instance(kPipelineToml).launch_plan(configuration(1))->timed_by_host);
  const std::string waits_never = with(kPipelineToml, "when = \"SUBMIT != 'graph'\"", "when = false");
  for (const auto& [text, by_host] : {std::pair{"\"gpu\"", false}, std::pair{"\"host\"", true},
                                      std::pair{"'CHUNKS == 1 ? \"gpu\" : \"host\"'", false}}) {
    const KernelInstance instance =
        pipeline_instance(with(waits_never, "[host]", std::string("[host]\ntimed = ") + text));
    EXPECT_EQ(instance.launch_plan(configuration(1))->timed_by_host, by_host) << text;
  }
}

TEST(HostPrograms, ThatTheGpuTimesCannotWaitForTheHost) {
  EXPECT_THAT(reason_of(with(kPipelineToml, "[host]", "[host]\ntimed = \"gpu\"")),
              HasSubstr("the host cannot wait in a program that is timed by the GPU"));
  EXPECT_THAT(reason_of(with(kPipelineToml, "[host]", "[host]\ntimed = \"SUBMIT\"")),
              HasSubstr("timed by stream, expected 'host' or 'gpu'"));
}

TEST(HostPrograms, CannotWaitInsideAGraph) {
  EXPECT_THAT(reason_of(with(kPipelineToml, "when = \"SUBMIT != 'graph'\"", ""), configuration(3, "graph")),
              HasSubstr("cannot wait inside a graph"));
}

TEST(HostPrograms, AllocateWhereTheHostSubmitsTheSteps) {
  const std::string allocates = with_step("allocate = '4 * N'\npool = 'CHUNKS == 1'");
  const auto lines = [&](std::int64_t chunks) {
    return lines_of(pipeline_instance(allocates).launch_plan(configuration(chunks)).value());
  };
  EXPECT_THAT(lines(1), testing::Contains("allocate 4000 from the pool on 0"));
  EXPECT_THAT(lines(3), testing::Contains("allocate 4000 on 0"));
  EXPECT_THAT(reason_of(allocates, configuration(3, "graph")),
              HasSubstr("the host cannot allocate memory inside a graph"));
  EXPECT_THAT(reason_of(with_step("allocate = 0")), HasSubstr("the bytes to allocate: '0' is 0"));
}

TEST(HostMemory, IsThatOfTheConfiguration) {
  const KernelInstance instance = pipeline_instance(kPipelineToml);
  EXPECT_EQ(instance.arguments(configuration(3))->at(0).memory, Memory::kPinned);
  EXPECT_EQ(instance.arguments(configuration(3, "stream", "pageable"))->at(0).memory, Memory::kPageable);
  EXPECT_EQ(instance.arguments(configuration(3))->at(1).memory, Memory::kDevice);
  const KernelInstance chosen = pipeline_instance(
      with(kPipelineToml, "memory = \"MEMORY\"", "memory = 'CHUNKS == 1 ? \"device\" : MEMORY'"));
  EXPECT_EQ(chosen.arguments(configuration(1))->at(0).memory, Memory::kDevice);
  EXPECT_EQ(chosen.arguments(configuration(3))->at(0).memory, Memory::kPinned);
}

TEST(HostMemory, OfAnotherNameIsRejected) {
  const auto resolved = pipeline_instance(with(kPipelineToml, "memory = \"MEMORY\"", "memory = \"SUBMIT\""))
                            .arguments(configuration(3));
  ASSERT_FALSE(resolved.has_value());
  EXPECT_THAT(resolved.error().reason,
              HasSubstr("the memory of 'x_host' is stream, expected one of device, pinned"));
}

TEST(HostMemory, ThatIsPageableIsNotFilledByTheGpu) {
  EXPECT_THAT(reason_of(with_step("fill = { buffer = \"x_host\", byte = 0 }"),
                        configuration(3, "stream", "pageable")),
              HasSubstr("a GPU cannot fill pageable memory"));
}

TEST(MatrixProducts, TakeTheTypesOfTheirBuffers) {
  const auto step_of = [](const std::string& toml) {
    const LaunchPlan plan = pipeline_instance(toml).launch_plan(configuration(3)).value();
    return std::get<MatrixProductStep>(plan.steps.back().action);
  };
  const MatrixProductStep half = step_of(products("f16", "f32", ", math = \"'pedantic'\""));
  EXPECT_EQ(half.type, DataType::kF16);
  EXPECT_EQ(half.result_type, DataType::kF32);
  EXPECT_TRUE(half.pedantic);
  EXPECT_EQ(half.m, 8);
  EXPECT_FALSE(step_of(products("f32", "f32", "")).pedantic);
}

TEST(MatrixProducts, OfOtherTypesOrTooSmallBuffersAreRejected) {
  EXPECT_THAT(reason_of(products("f32", "f64", "")),
              HasSubstr("cublas_gemm: expected f32, f64, f16 or bf16"));
  EXPECT_THAT(reason_of(products("i32", "i32", "")), HasSubstr("found i32, i32 and i32"));
  EXPECT_THAT(reason_of(products("f32", "f32", "", "63")),
              HasSubstr("\"a\" has 63 elements, but 8 x 8 are needed"));
  EXPECT_THAT(reason_of(products("f32", "f32", ", math = \"'fast'\"")),
              HasSubstr("expected 'default' or 'pedantic'"));
}

struct WrongPipeline {
  const char* what;
  std::string toml;
  std::string message;
};

TEST(HostSections, ThatAreMalformedSayWhatWasExpected) {
  const std::vector<WrongPipeline> rows = {
      {"a launch section beside it", with(kPipelineToml, "[host]", "[launch]\ngrid = 1\nblock = 1\n[host]"),
       "launch is a table, expected no such section: [host] has the launches"},
      {"an unknown key", with(kPipelineToml, "graph =", "graf ="), "did you mean graph"},
      {"an unknown step", with_step("lunch = \"scale\""), "expected one of launch, copy"},
      {"two steps in one", with_step("wait = 0\nsynchronise = true"),
       "this step has the action wait already"},
      {"a copy of no argument", with_step("copy = { from = \"z\", to = \"x\" }"),
       "host.loop.step.copy.from is the text \"z\", expected one of the buffer arguments x_host, y, x"},
      {"a copy of a scalar", with_step("copy = { from = \"n\", to = \"x\" }"),
       "expected one of the buffer arguments"},
      {"two offsets", with_step("copy = { from = \"y\", to = \"x\", offset = 1, to_offset = 2 }"),
       "offset is used for both buffers"},
      {"an unknown argument", with(kPipelineToml, "{ name = \"y\" }", "\"z\""), "'z' is not one of them"},
      {"an offset into a scalar", with(kPipelineToml, "{ name = \"y\" }", "{ name = \"n\", offset = 1 }"),
       "the argument is not a buffer"},
      {"a value without a type", with(kPipelineToml, ", type = \"i64\"", ""), "type is missing"},
      {"a fill without its byte", with_step("fill = { buffer = \"y\" }"), "byte is missing"},
      {"another library's call", with_step("call = \"cufft\""), "expected cublas_gemm"},
      {"a call without its matrices", with_step("call = \"cublas_gemm\""),
       "expected a table with a, b, c, m, n, k"},
      {"a launch without a grid", with_step("launch = \"finish\"\nblock = 1"), "grid is missing"},
      {"a synchronise that is none", with_step("synchronise = false"), "expected true"},
      {"an allocation that depends on nothing known", with_step("allocate = 'M'"),
       "'M' names 'M', which cannot be used here"},
      {"an unknown priority", with(kPipelineToml, "[host]", "[host]\npriorities = [\"hihg\"]"),
       "(did you mean high?); expected high, low, 0 or less, or"},
      {"a pool that depends on nothing known", with_step("allocate = 4\npool = 'M == 1'"), "names 'M'"},
      {"a pool without an allocation", with_step("synchronise = true\npool = true"), "pool"},
      {"a loop without steps",
       with(kPipelineToml, "[[argument]]\nname = \"x_host\"",
            "[[host.loop]]\n[[argument]]\nname = \"x_host\""),
       "at least one [[host.loop.step]]"},
      {"an unknown name", with(kPipelineToml, "k % 2", "j % 2"), "names 'j'"},
      {"the turn outside of its loop", with(kPipelineToml, "times = \"CHUNKS\"", "times = \"k\""),
       "names 'k'"},
      {"memory that is nothing known", with(kPipelineToml, "memory = \"MEMORY\"", "memory = \"vram\""),
       "names 'vram'"},
      {"the memory of a scalar", with(kPipelineToml, "value = \"N\"", "value = \"N\"\nmemory = \"pinned\""),
       "a scalar is not in memory"},
  };
  for (const WrongPipeline& row : rows) {
    try {
      load_embedded(row.toml, kCode);
      ADD_FAILURE() << row.what << " was taken";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.message(), HasSubstr(row.message)) << row.what;
      EXPECT_GT(error.position().line, 0) << row.what;
    }
  }
}

TEST(HostSections, PointAtThePlaceOfAFault) {
  const std::string toml = with(kPipelineToml, "k % 2", "j % 2");
  const std::string before = embedded(toml, kCode).substr(0, embedded(toml, kCode).find("j % 2"));
  try {
    load_embedded(toml, kCode);
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.position().line, std::count(before.begin(), before.end(), '\n') + 1);
    EXPECT_EQ(error.position().column, static_cast<int>(before.size() - before.rfind('\n')));
  }
}

TEST(HostPrograms, OfTheExampleHaveAPlanAndCompile) {
  const auto path = std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "examples/host_program/rows.cu";
  const KernelInstance instance(load_kernel_definition(path), {{"ROWS", std::int64_t{1000}}},
                                model::fictional_gpu());
  for (const model::Value pieces : {std::int64_t{1}, std::int64_t{32}}) {
    NamedValues chosen = instance.default_configuration();
    for (auto& [name, value] : chosen) {
      if (name == "PIECES") value = pieces;
    }
    const auto plan = instance.screened_plan(chosen);
    ASSERT_TRUE(plan.has_value()) << plan.error().reason;
    EXPECT_EQ(plan->main_launch()->entry, "row_lengths");
    if (nvrtc_missing()) continue;
    const auto compiled = compile(instance.compile_request(chosen).value());
    EXPECT_TRUE(compiled.has_value()) << compiled.error().reason;
  }
}

TEST(HostProgram, GivesItsStreamsPriorities) {
  const auto plan_of = [](const std::string& priorities, std::int64_t chunks) {
    const KernelInstance instance =
        pipeline_instance(with(kPipelineToml, "graph = ", priorities + "\ngraph = "));
    return instance.launch_plan(configuration(chunks));
  };
  EXPECT_TRUE(plan_of("", 3)->priorities.empty());
  EXPECT_THAT(plan_of("priorities = [\"low\", \"high\"]", 3)->priorities, ElementsAre(0, kHighestPriority));
  EXPECT_THAT(plan_of("priorities = [\"CHUNKS == 3 ? 'high' : 'low'\"]", 3)->priorities,
              ElementsAre(kHighestPriority, 0));
  EXPECT_THAT(plan_of("priorities = [\"0 - CHUNKS\", \"high\"]", 8)->priorities,
              ElementsAre(-8, kHighestPriority));
  EXPECT_THAT(plan_of("priorities = [\"low\", \"high\"]", 1)->priorities, ElementsAre(0));  // One stream.
  for (const std::string wrong : {"CHUNKS", "'middle'", "0.5"}) {
    const auto plan = plan_of("priorities = [\"high\", \"" + wrong + "\"]", 3);
    ASSERT_FALSE(plan) << wrong;
    EXPECT_THAT(plan.error().reason, HasSubstr("the priority of stream 1 is ")) << wrong;
    EXPECT_THAT(plan.error().reason, HasSubstr("expected 'high', 'low' or an integer")) << wrong;
  }
  EXPECT_THROW(plan_of("priorities = [\"UNKNOWN\"]", 3), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates
