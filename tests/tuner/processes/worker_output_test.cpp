#include "tuner/processes/worker_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace warptune::tuner::processes {
namespace {

using ::testing::EndsWith;

void print(const WorkerOutput& output, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    const std::string part = text.substr(at, 1000);
    if (::write(output.descriptor(), part.data(), part.size()) < 0) return;
  }
}

TEST(WorkerOutput, GivesWhatWasPrintedSinceTheLastTime) {
  WorkerOutput output = WorkerOutput::make();
  EXPECT_EQ(output.take(), "");
  print(output, "one\n");
  print(output, "two\n");
  EXPECT_EQ(output.take(), "one\ntwo");
  print(output, "3");
  EXPECT_EQ(output.take(), "3");
  EXPECT_EQ(output.take(), "");
}

TEST(WorkerOutput, NeitherWaitsNorGrowsAndSaysHowMuchItWas) {
  WorkerOutput output = WorkerOutput::make();
  print(output, std::string(6000, 'x'));
  EXPECT_EQ(output.take(), std::string(4096, 'x') + "\n... (6000 bytes)");
  print(output, std::string(10'000'000, 'y'));
  EXPECT_THAT(output.take(), EndsWith("\n... (at least 65536 bytes)"));
}

TEST(WorkerOutput, HoldsNothingThatATerminalObeys) {
  WorkerOutput output = WorkerOutput::make();
  print(output, "a\tb\x1b]0;title\x07\xff\r\n");
  EXPECT_EQ(output.take(), "a\tb?]0;title???");
}

TEST(WorkerOutput, IsAddedToAReason) {
  EXPECT_EQ(with_printed("", ""), "");
  EXPECT_EQ(with_printed("why", ""), "why");
  EXPECT_EQ(with_printed("", "text"), "printed: text");
  EXPECT_EQ(with_printed("why", "text"), "why\nprinted: text");
}

}  // namespace
}  // namespace warptune::tuner::processes
