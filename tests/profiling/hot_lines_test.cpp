#include "profiling/hot_lines.h"

#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(HotLinesTest, AStallReasonIsTheEndOfItsMetricAndAPartOfAnotherIsNone) {
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"), "");
  EXPECT_EQ(stall_reason("something_new"), "something_new");
}

TEST(HotLinesTest, SamplesOfALineAddUpOverItsInstructionsAndReadings) {
  const std::vector<InstructionSamples> samples = {{"k", 0, {{"barrier", 3}, {"selected", 1}}},
                                                   {"k", 16, {{"selected", 10}}},
                                                   {"k", 32, {{"selected", 0}}},
                                                   {"k", 48, {{"math", 2}}},
                                                   {"k", 0, {{"barrier", 4}}}};
  std::vector<std::uint64_t> asked;
  const HotLines lines = hot_lines_of(samples, [&](const std::string& function, std::uint64_t offset) {
    EXPECT_EQ(function, "k");
    asked.push_back(offset);
    return SourceLine{"a.cu", offset == 16 ? 7 : 9};
  });
  EXPECT_THAT(asked, ::testing::ElementsAre(0U, 16U, 48U));
  EXPECT_EQ(lines.samples, 20U);
  ASSERT_THAT(lines.lines, SizeIs(2));
  EXPECT_EQ(lines.lines[0].line, (SourceLine{"a.cu", 7}));
  EXPECT_EQ(lines.lines[1].line, (SourceLine{"a.cu", 9}));
  EXPECT_EQ(lines.lines[1].samples, 10U);
  EXPECT_DOUBLE_EQ(lines.lines[1].share, 0.5);
  ASSERT_THAT(lines.lines[1].stalls, SizeIs(3));
  EXPECT_EQ(lines.lines[1].stalls[0].reason, "barrier");
  EXPECT_EQ(lines.lines[1].stalls[0].samples, 7U);
}

TEST(HotLinesTest, NoSamplesAreNoLines) {
  EXPECT_THAT(hot_lines_of({}, [](const std::string&, std::uint64_t) { return SourceLine{}; }).lines,
              IsEmpty());
}

class LineInfoTest : public ::testing::Test {
 protected:
  // Compiles the kernel with its line numbers, for a GPU that need not be in this machine.
  kernel_templates::CompiledKernel compile(bool with_lines) {
    const kernel_templates::KernelInstance instance(load_test_kernel("hot_line"), {}, model::fictional_gpu());
    auto request = instance.compile_request(instance.default_configuration()).value();
    if (with_lines) request.options.emplace_back("--generate-line-info");
    const auto compiled = kernel_templates::compile(request);
    if (!compiled) throw std::runtime_error(compiled.error().reason);
    return *compiled;
  }

  // Returns the number of the kernel's instructions that belong to each line.
  static std::map<int, int> lines_of(const kernel_templates::CompiledKernel& compiled, std::string& file) {
    std::map<int, int> lines;
    for (std::uint64_t offset = 0; offset < 4096; offset += 16) {
      const SourceLine line = source_line(compiled.cubin, "hot_line", offset);
      ++lines[line.number];
      if (line.number > 0) file = line.file;
    }
    return lines;
  }

  static std::string line_of_file(const std::string& file, int number) {
    std::ifstream in(file);
    std::string text;
    for (int i = 0; i < number; ++i) std::getline(in, text);
    return text;
  }
};

TEST_F(LineInfoTest, InstructionsLeadToTheLinesOfTheUsersFile) {
  try {
    std::string file;
    const std::map<int, int> lines = lines_of(compile(true), file);
    EXPECT_THAT(file, EndsWith("data/hot_line.cu"));
    bool found = false;
    for (const auto& [number, count] : lines) {
      std::cout << number << " x " << count << ": " << line_of_file(file, number) << "\n";
      found = found || line_of_file(file, number).find("The hot one") != std::string::npos;
    }
    EXPECT_TRUE(found);
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST_F(LineInfoTest, WithoutLineInfoAnInstructionHasNoLine) {
  try {
    std::string file;
    EXPECT_THAT(lines_of(compile(false), file), SizeIs(1));
    EXPECT_EQ(file, "");
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

class GpuHotLinesTest : public GpuTest {};

TEST_F(GpuHotLinesTest, TheLineThatTakesTheTimeHasMostSamples) {
  release_context();  // Sampling begins before any kernel is loaded.
  RunnerOptions options;
  options.count = false;
  options.sample_lines = true;
  RunnerUnderTest kernel("hot_line", {}, options);
  const model::NamedValues configuration = kernel.instance().default_configuration();
  auto request = kernel.instance().compile_request(configuration).value();
  request.options.emplace_back("--generate-line-info");
  const auto compiled = kernel_templates::compile(request).value();
  const HotLines lines = kernel.runner().sample_lines(configuration, compiled);
  if (lines.problem.find("PRIVILEGES") != std::string::npos) GTEST_SKIP() << lines.problem;
  ASSERT_EQ(lines.problem, "");
  std::cout << lines.samples << " samples of " << lines.launches << " launches, " << lines.dropped
            << " dropped\n";
  std::uint64_t sum = 0;
  for (const HotLine& line : lines.lines) {
    std::cout << line.line.number << " " << line.share << " " << line.stalls.front().reason << "\n";
    sum += line.samples;
  }
  EXPECT_EQ(sum, lines.samples);
  EXPECT_GT(lines.samples, 1000U);
  std::ifstream in(lines.lines.front().line.file);
  std::string text;
  for (int i = 0; i < lines.lines.front().line.number; ++i) std::getline(in, text);
  EXPECT_THAT(text, HasSubstr("The hot one"));
  EXPECT_GT(lines.lines.front().share, 0.5);
}

}  // namespace
}  // namespace warptune::profiling
