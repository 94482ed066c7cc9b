// `warptune check` on definitions with one fault each (data/wrong_definitions), and on the shipped kernels.
#include "tuner/checking/definition_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "kernel_templates/library.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/tuner/program.h"
#include "tuner/checking/architectures.h"

namespace warptune::tuner::checking {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kWrong = WARPTUNE_TUNER_TEST_DATA "/wrong_definitions";
const fs::path kWrongResults = WARPTUNE_TUNER_TEST_DATA "/wrong_results";

// The findings of each file in index.txt, as they are printed after the file's name.
std::map<std::string, std::vector<std::string>> expected_findings(const fs::path& folder) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const std::string& line : base::split(testing::slurp(folder / "index.txt"), '\n')) {
    const std::size_t end = line.find(':');
    if (!line.starts_with('#') && end != std::string::npos)
      expected[line.substr(0, end)].push_back(line.substr(end + 1));
  }
  return expected;
}

// The lines of an output that name a file with a position, from the position on.
std::vector<std::string> findings_of(const std::string& output, const std::string& path) {
  std::vector<std::string> findings;
  for (const std::string& line : base::split(output, '\n')) {
    if (line.starts_with(path + ":")) findings.push_back(line.substr(path.size() + 1));
    const std::string refused = "warptune: " + path + ":";
    if (!line.starts_with(refused)) continue;
    const std::size_t message = line.find(": ", refused.size());
    findings.push_back(line.substr(refused.size(), message - refused.size()) + ": refused" +
                       line.substr(message));
  }
  return findings;
}

// Checks that each file of a folder has the findings of index.txt, and no others.
void expect_findings(const fs::path& folder, const std::vector<std::string>& options) {
  testing::Warptune warptune;
  for (const auto& [file, expected] : expected_findings(folder)) {
    const std::string path = (folder / file).string();
    std::vector<std::string> words = {"check", path, "--sample", "0", "--strict"};
    words.insert(words.end(), options.begin(), options.end());
    const testing::ProgramRun done = warptune.run(words);
    EXPECT_EQ(done.exit_code, 2) << file << "\n" << done.out << done.err;
    const std::vector<std::string> found = findings_of(done.out + done.err, path);
    ASSERT_EQ(found.size(), expected.size()) << file << "\n" << done.out << done.err;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_THAT(found[i], ::testing::StartsWith(expected[i])) << file;
  }
}

TEST(CheckCommandTest, EveryWrongDefinitionIsReportedAtItsPlaceAndNothingElseIs) {
  expect_findings(kWrong, {});
}

TEST(CheckCommandTest, EveryWrongResultIsReportedAtItsPlaceAndNothingElseIs) {
  expect_findings(kWrongResults, {"--trust"});
}

TEST(CheckCommandTest, TheTablesHaveEveryWrongDefinition) {
  for (const fs::path& folder : {kWrong, kWrongResults}) {
    const auto expected = expected_findings(folder);
    std::size_t files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".cu")) continue;
      ++files;
      EXPECT_EQ(expected.count(name), 1U) << name;
    }
    EXPECT_EQ(files, expected.size());
  }
}

TEST(CheckCommandTest, NothingIsRunWithoutTrust) {
  testing::Warptune warptune;
  const testing::ProgramRun done =
      warptune.run({"check", (kWrongResults / "wrong_factor.cu").string(), "--sample", "0"});
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, HasSubstr("Nothing is run on the host's CPU: that executes code"));
}

TEST(CheckCommandTest, WhatTheCpuLacksIsReportedInOneSentenceAndIsNoFinding) {
  testing::Warptune warptune;
  std::string text = testing::slurp(kWrongResults / "wrong_factor.cu");
  text.replace(text.find("y[i] = 3.0f * x[i];"), 19, "asm volatile(\"bar.sync 0;\");");
  const testing::ProgramRun done =
      warptune.run({"check", warptune.file("ptx.cu", text), "--sample", "0", "--trust"});
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, HasSubstr("Nothing is run on the host's CPU: it uses inline PTX.\n"));
}

TEST(CheckCommandTest, AKernelThatWaitsForOtherBlocksIsNoFinding) {
  testing::Warptune warptune;
  std::string text = testing::slurp(kWrongResults / "wrong_factor.cu");
  text.replace(text.find("y[i] = 3.0f * x[i];"), 19,
               "{ while (blockIdx.x == 0 && ((volatile float*)y)[200] != x[0]) {} y[i] = x[i]; }");
  const testing::ProgramRun done = warptune.run(
      {"check", warptune.file("waits.cu", text), "--sample", "0", "--trust", "--host-seconds", "2"});
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, HasSubstr("it did not end within 2 s"));
}

// With WARPTUNE_EMULATION_CXX, this compiler takes the place of c++, as in the tests of the emulation. clang
// 14 takes half of g++'s time. Wrong results are compiled with c++: clang does not find each misaligned
// access.
TEST(CheckCommandTest, RightKernelsAreRunAtSmallSizesWithoutFindings) {
  testing::Warptune warptune;
  if (const char* compiler = std::getenv("WARPTUNE_EMULATION_CXX")) warptune.variables["CXX"] = compiler;
  for (const char* kernel : {"vector_add", "transpose", "reduction", "scan", "stencil2d"}) {
    const nlohmann::json report = warptune.json_of({"check", kernel, "--sample", "2", "--trust"});
    EXPECT_TRUE(report.at("findings").empty()) << report;
    EXPECT_TRUE(report.at("host").at("obstacle").is_null()) << report;
    EXPECT_GE(report.at("host").at("run_count"), 4) << report;
  }
}

TEST(CheckCommandTest, AProgramThatLaunchesNoKernelIsNoFinding) {
  testing::Warptune warptune;
  const fs::path copies = kernel_templates::tested_sources() / "kernel_templates/lab/overlap_copy.cu";
  const testing::ProgramRun done = warptune.run({"check", copies.string(), "--trust"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("overlap_copy: no errors and no warnings were found"));
}

TEST(CheckCommandTest, ShippedKernelsHaveNoFindings) {
  testing::Warptune warptune;
  for (const std::string& kernel : kernel_templates::shipped_kernels()) {
    const testing::ProgramRun done = warptune.run({"check", kernel, "--sample", "1", "--strict"});
    EXPECT_EQ(done.exit_code, 0) << kernel << "\n" << done.out << done.err;
  }
}

TEST(CheckCommandTest, WarningsAloneEndWithExitCodeZeroUnlessStrict) {
  testing::Warptune warptune;
  const std::string path = (kWrong / "no_check.cu").string();
  EXPECT_EQ(warptune.run({"check", path}).exit_code, 0);
  EXPECT_EQ(warptune.run({"check", path, "--strict"}).exit_code, 2);
}

TEST(CheckCommandTest, JsonHasResourcesOfEachProgramForEachArchitecture) {
  testing::Warptune warptune;
  const nlohmann::json report = warptune.json_of({"check", "reduction", "--arch", "80,90", "--sample", "1"});
  EXPECT_EQ(report.at("format"), "warptune-check");
  EXPECT_TRUE(report.at("findings").empty());
  ASSERT_EQ(report.at("gpus").size(), 2U);
  EXPECT_EQ(report.at("gpus").at(0).at("gpu").at("compute_major"), 8);
  const nlohmann::json& programs = report.at("gpus").at(1).at("programs");
  std::set<std::string> roles;
  for (const nlohmann::json& program : programs) {
    roles.insert(program.at("role").get<std::string>());
    EXPECT_EQ(program.at("status"), "compiled");
    EXPECT_GT(program.at("resources").at("registers_per_thread"), 0);
    EXPECT_GT(program.at("computed_occupancy"), 0.0);
    EXPECT_LE(program.at("computed_occupancy"), 1.0);
  }
  EXPECT_EQ(roles, (std::set<std::string>{"default", "recommended", "reference", "sample"}));
}

TEST(CheckCommandTest, AllCompilesEveryConfiguration) {
  testing::Warptune warptune;
  const nlohmann::json report =
      warptune.json_of({"check", (kWrong / "no_check.cu").string(), "--all", "--arch", "sm_90"});
  EXPECT_EQ(report.at("gpus").at(0).at("programs").size(), 2U);
}

TEST(CheckCommandTest, AnArchitectureWhoseLimitsAreNotKnownIsRefused) {
  const testing::ProgramRun done = testing::Warptune().run({"check", "sgemm", "--arch", "90,20"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--arch 90,20: expected compute capabilities of 75, 80"));
}

TEST(CheckCommandTest, ASampleThatCannotRunIsARowAndNoFinding) {
  testing::Warptune warptune;
  std::string text = testing::slurp(kWrong / "block_too_large.cu");
  text.replace(text.find("BLOCK = 2048"), 12, "BLOCK = 1024");
  const testing::ProgramRun done = warptune.run({"check", warptune.file("block.cu", text), "--all"});
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, HasSubstr("launch_invalid: scale has 2048x1x1 threads per block"));
}

TEST(CheckCommandTest, ASampleWhoseBuffersAreImpossibleIsARowAndNoFinding) {
  testing::Warptune warptune;
  const auto refused_row = [&](const std::string& keys) {
    std::string text = testing::slurp(kWrong / "block_too_large.cu");
    text.replace(text.find("[1024, 2048]"), 12, "[64, 128]");
    text.replace(text.find("BLOCK = 2048"), 12, "BLOCK = 128");
    text.insert(text.find("kind = \"in\""), keys + "\n");
    const testing::ProgramRun done = warptune.run({"check", warptune.file("buffers.cu", text), "--all"});
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    return done.out;
  };
  EXPECT_THAT(refused_row("memory = \"BLOCK == 128 ? 'device' : 'foo'\""),
              HasSubstr("launch_invalid: the memory of 'x' is foo, expected one of device"));
  EXPECT_THAT(refused_row("width = 10\npitch = \"BLOCK == 128 ? 10 : 9\""),
              HasSubstr("launch_invalid: the pitch 'BLOCK == 128 ? 10 : 9' of argument 'x' is 9 elements"));
  EXPECT_THAT(refused_row("memory = \"managed\"\nresidency = \"BLOCK == 128 ? 'host' : 'xx'\""),
              HasSubstr("launch_invalid: the residency of 'x' is xx, expected one of device, host"));
}

TEST(ArchitecturesTest, EachKnownCapabilityHasAGpuOfIt) {
  for (const int capability : known_capabilities()) {
    const auto gpu = typical_gpu(capability);
    ASSERT_TRUE(gpu.has_value());
    EXPECT_EQ(gpu->compute_major * 10 + gpu->compute_minor, capability);
    EXPECT_LE(gpu->shared_bytes_per_block_optin, gpu->shared_bytes_per_sm);
    EXPECT_EQ(gpu->max_threads_per_sm % gpu->warp_size, 0);
  }
  EXPECT_FALSE(typical_gpu(20).has_value());
  EXPECT_EQ(typical_gpu(90)->shared_bytes_per_sm, model::fictional_gpu().shared_bytes_per_sm);
}

}  // namespace
}  // namespace warptune::tuner::checking
