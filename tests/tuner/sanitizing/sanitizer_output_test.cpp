#include "tuner/sanitizing/sanitizer_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/files.h"

namespace warptune::tuner::sanitizing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SanitizerOutput report(const std::string& name) {
  return read_sanitizer_output(base::read_file(WARPTUNE_TUNER_TEST_DATA "/sanitizer/" + name + ".txt"));
}

auto place(const std::string& role, const std::string& function, int line) {
  return AllOf(Field(&SanitizerPlace::role, role), Field(&SanitizerPlace::function, function),
               Field(&SanitizerPlace::line, Field(&profiling::SourceLine::number, line)),
               Field(&SanitizerPlace::line, Field(&profiling::SourceLine::file, line > 0 ? "@SOURCE@" : "")));
}

TEST(SanitizerOutput, ReportsOfOnePlaceAreOneFindingWithItsCallers) {
  const SanitizerOutput output = report("memcheck");
  EXPECT_EQ(output.summary_errors, 2U);
  EXPECT_THAT(output.messages, IsEmpty());
  ASSERT_THAT(output.findings, SizeIs(1));
  const SanitizerFinding& finding = output.findings[0];
  EXPECT_TRUE(finding.is_error);
  EXPECT_EQ(finding.message, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(finding.count, 2U);
  EXPECT_THAT(finding.places, ElementsAre(place("at", "helper(float *, int)", 3),
                                          place("called from", "toy(float *, int)", 5)));
  EXPECT_THAT(finding.details, ElementsAre("by thread (0,0,0) in block (4,0,0)", HasSubstr("out of bounds"),
                                           HasSubstr("1 bytes after the nearest allocation")));
}

TEST(SanitizerOutput, ARaceHasThePlacesOfBothAccesses) {
  const SanitizerOutput output = report("racecheck");
  EXPECT_EQ(output.summary_errors, 1U);
  ASSERT_THAT(output.findings, SizeIs(1));
  EXPECT_TRUE(output.findings[0].is_error);
  EXPECT_EQ(output.findings[0].message, "Race reported between Write access and Read access");
  EXPECT_THAT(output.findings[0].places, ElementsAre(place("Write access", "sum(int *, int *)", 3),
                                                     place("Read access", "sum(int *, int *)", 5)));
  EXPECT_THAT(output.findings[0].details, ElementsAre("[508 hazards]"));
}

TEST(SanitizerOutput, AWarningIsNoError) {
  const SanitizerOutput output = report("racecheck_warning");
  EXPECT_EQ(output.summary_errors, 0U);
  ASSERT_THAT(output.findings, SizeIs(1));
  EXPECT_FALSE(output.findings[0].is_error);
  EXPECT_THAT(output.findings[0].message, HasSubstr("Potential RAW hazard"));
  EXPECT_THAT(output.findings[0].places, ElementsAre(place("Write Thread (35,0,0)", "sum(int *, int *)", 3),
                                                     place("Read Thread (32,0,0)", "sum(int *, int *)", 5)));
}

TEST(SanitizerOutput, TheOtherToolsNameTheirLines) {
  EXPECT_THAT(
      report("synccheck").findings,
      ElementsAre(AllOf(Field(&SanitizerFinding::message, HasSubstr("Divergent thread(s) in block")),
                        Field(&SanitizerFinding::places, ElementsAre(place("at", "toy(float *, int)", 4))))));
  EXPECT_THAT(report("initcheck").findings,
              ElementsAre(Field(&SanitizerFinding::message, HasSubstr("Uninitialized __global__"))));
}

TEST(SanitizerOutput, ACleanReportHasNothing) {
  for (const char* name : {"clean", "clean_racecheck"}) {
    const SanitizerOutput output = report(name);
    EXPECT_EQ(output.summary_errors, 0U) << name;
    EXPECT_THAT(output.findings, IsEmpty()) << name;
    EXPECT_THAT(output.messages, IsEmpty()) << name;
  }
}

TEST(SanitizerOutput, APlaceMayLackItsLineOrBeInTheMessage) {
  const SanitizerOutput output = read_sanitizer_output(
      "========= Invalid __shared__ read of size 4 bytes\n"
      "=========     at toy(int *)+0x50\n"
      "=========\n"
      "========= Barrier called by threads starting at (32,0,0) in block (1,0,0), (active mask: 0xffffffff) "
      "at "
      "toy()+0x2b0 in /a folder/in it/app.cu:36\n"
      "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_THAT(output.findings, SizeIs(2));
  EXPECT_THAT(output.findings[0].places, ElementsAre(place("at", "toy(int *)", 0)));
  EXPECT_EQ(output.findings[1].message,
            "Barrier called by threads starting at (32,0,0) in block (1,0,0), (active mask: 0xffffffff)");
  ASSERT_THAT(output.findings[1].places, SizeIs(1));
  EXPECT_EQ(output.findings[1].places[0].line, (profiling::SourceLine{"/a folder/in it/app.cu", 36}));
}

TEST(SanitizerOutput, WhatIsNoFindingIsKeptAsAMessage) {
  const SanitizerOutput output = read_sanitizer_output(
      "========= COMPUTE-SANITIZER\n"
      "========= Internal Sanitizer Error: The Sanitizer did not track the launch\n"
      "=========     a further line\n"
      "========= Warning: Detected overflow of tracked cuda::barrier structures\n"
      "something else\n");
  EXPECT_EQ(output.summary_errors, std::nullopt);
  EXPECT_THAT(output.findings, IsEmpty());
  EXPECT_THAT(output.messages, ElementsAre(HasSubstr("Internal Sanitizer Error"), "a further line",
                                           "Warning: Detected overflow of tracked cuda::barrier structures",
                                           "something else"));
}

TEST(SanitizerOutput, OnlyALineWithTheNumberOfErrorsIsTheSummary) {
  const SanitizerOutput output = read_sanitizer_output(
      "========= ERROR SUMMARY: 175 errors\n"
      "========= ERROR SUMMARY: 75 errors were not printed. Use --print-limit option to adjust it\n");
  EXPECT_EQ(output.summary_errors, 175U);
  EXPECT_THAT(output.messages, ElementsAre(HasSubstr("75 errors were not printed")));
  EXPECT_EQ(read_sanitizer_output("========= ERROR SUMMARY: 1 error\n").summary_errors, 1U);
}

TEST(SanitizerOutput, APlaceMayHaveAColonBeforeItsOffset) {
  const SanitizerOutput output = read_sanitizer_output(
      "========= Invalid __shared__ read of size 4 bytes\n"
      "=========     at toy(int *):0x50 in /app.cu:7\n");
  ASSERT_THAT(output.findings, SizeIs(1));
  ASSERT_THAT(output.findings[0].places, SizeIs(1));
  EXPECT_EQ(output.findings[0].places[0].function, "toy(int *)");
  EXPECT_EQ(output.findings[0].places[0].line, (profiling::SourceLine{"/app.cu", 7}));
}

TEST(SanitizerOutput, ReportsWithoutPlacesAreOneFindingIfTheirDetailsAreEqual) {
  const auto report_in = [](const std::string& thread, const std::string& kernel) {
    return "========= Invalid __global__ read of size 4 bytes\n=========     by thread (" + thread +
           ",0,0)\n=========     Address 0x" + thread + " is out of bounds\n=========     in " + kernel +
           "\n";
  };
  const SanitizerOutput output =
      read_sanitizer_output(report_in("1", "first") + report_in("2", "first") + report_in("3", "second"));
  EXPECT_THAT(output.findings,
              ElementsAre(Field(&SanitizerFinding::count, 2), Field(&SanitizerFinding::count, 1)));
}

TEST(SanitizerOutput, WhatTheHostReadsIsOneFindingWhateverTheAddress) {
  const SanitizerOutput output = read_sanitizer_output(
      "========= Host API uninitialized memory access at access by cuMemcpyDtoHAsync on 0x7f00 of size 4 "
      "bytes\n"
      "========= Host API uninitialized memory access at access by cuMemcpyDtoHAsync on 0x7f0a of size 4 "
      "bytes\n");
  EXPECT_THAT(output.findings, ElementsAre(Field(&SanitizerFinding::count, 2)));
}

TEST(SanitizerOutput, WhatTheToolDidNotWatchIsADoubt) {
  EXPECT_EQ(read_sanitizer_output("========= Internal Sanitizer Error: lost\n").doubt,
            "Internal Sanitizer Error: lost");
  EXPECT_EQ(read_sanitizer_output("========= Warning: full. Results might be incorrect.\n").doubt,
            "Warning: full. Results might be incorrect.");
  EXPECT_EQ(read_sanitizer_output("========= 3 launches were skipped\n").doubt, "3 launches were skipped");
  EXPECT_EQ(report("clean").doubt, "");
}

TEST(SanitizerOutput, AnyBytesAreRead) {
  for (const char* text : {"", "=========", "========= at +0x", "=========     at +0x12 in :",
                           "+0x12 in x:9:\n", "========= RACECHECK SUMMARY: many (", "========= Error: "})
    EXPECT_EQ(read_sanitizer_output(text).summary_errors, std::nullopt) << text;
}

}  // namespace
}  // namespace warptune::tuner::sanitizing
