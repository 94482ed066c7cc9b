// Files that expand to more than the memory, and the errors for text that is not JSON.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/streams/zstd_text.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kMib = 1048576;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

double peak_memory_mib() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024.0;
}

class RecordingLimitsTest : public ::testing::Test {
 protected:
  ~RecordingLimitsTest() override { ::unsetenv("WARPTUNE_RECORDING_MIB"); }

  void allow_mib(const char* number) { ::setenv("WARPTUNE_RECORDING_MIB", number, 1); }

  std::string answer(const std::string& bytes) {
    testing::spill(path_, bytes);
    try {
      read_any_recording(path_);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  // A recording with one parameter and the given numbers of counters and rows.
  std::string with_counters(std::size_t counters, std::size_t rows) {
    model::Recording one;
    one.workload = testing::workload();
    one.parameters = {{"x", {model::Value(std::int64_t{1})}, "", {}}};
    one.default_configuration = {{"x", std::int64_t{1}}};
    model::Measurement row = testing::measured(one.default_configuration, 5.0);
    row.counters.clear();
    for (std::size_t i = 0; i < counters; ++i) row.counters[fmt::format("c{}", i)] = 1.0;
    one.measurements = {row};
    write_recording(path_, one);
    const std::vector<std::string> lines = base::split(testing::unpacked(path_), '\n');
    auto header = nlohmann::ordered_json::parse(lines[0]);
    header["rows"] = rows;
    return header.dump() + "\n" + repeated(lines[1] + "\n", rows);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "any";
};

TEST_F(RecordingLimitsTest, ABombIsRefusedWithTheLimitBeforeItFillsTheMemory) {
  const std::string blanks(16 * kMib, ' ');
  const std::string zstd = repeated(base::streams::zstd_compress(blanks), 256);  // 4 GiB.
  const std::string gzip = repeated(testing::gzipped(blanks), 256);
  const double before = peak_memory_mib();
  for (const std::string& bomb : {zstd, gzip}) {
    EXPECT_THAT(answer(bomb), AllOf(StartsWith(path_.string()), HasSubstr("at most 128 MiB, found more once"),
                                    HasSubstr("WARPTUNE_RECORDING_MIB")));
  }
  EXPECT_LT(peak_memory_mib() - before, 512.0);
}

TEST_F(RecordingLimitsTest, ABombOfLinesNeedsNoMemoryForItsText) {
  testing::spill(path_, repeated(base::streams::zstd_compress(std::string(16 * kMib, '\n')), 256));
  const double before = peak_memory_mib();
  EXPECT_THROW(read_recording(path_), base::InputError);
  EXPECT_LT(peak_memory_mib() - before, 64.0);
}

TEST_F(RecordingLimitsTest, ALargerOneIsReadWhereTheLimitIsRaised) {
  allow_mib("1");
  const std::string large = with_counters(1, 20) + std::string(2 * kMib, ' ');
  EXPECT_THAT(answer(base::streams::zstd_compress(large)),
              HasSubstr("at most 1 MiB, found more once it is unpacked"));
  EXPECT_THAT(answer(large), HasSubstr("at most 1 MiB, found more; "));
  const std::string wide = with_counters(1, 20) + "[" + repeated(" ", 2 * kMib);
  allow_mib("3");
  EXPECT_THAT(answer(wide), HasSubstr("expected JSON"));
  EXPECT_EQ(answer(with_counters(1, 20)), "accepted");
}

TEST_F(RecordingLimitsTest, ALimitThatIsNoNumberIsTold) {
  for (const char* wrong : {"0", "many", "12x", "-1", "99999999"}) {
    allow_mib(wrong);
    EXPECT_THAT(answer("{}"), HasSubstr("expected a number from 1 to 1048576")) << wrong;
  }
}

TEST_F(RecordingLimitsTest, RowsThatTakeFarMoreMemoryThanTextAreRefused) {
  EXPECT_EQ(answer(with_counters(1000, 200)), "accepted");
  allow_mib("1");
  EXPECT_THAT(answer(with_counters(1000, 200)), HasSubstr("rows that take at most 16 MiB of memory"));
}

TEST_F(RecordingLimitsTest, ALineOfTooManyValuesIsRefusedBeforeATreeIsMadeOfIt) {
  const std::string values = "[" + repeated("0,", 5000000) + "0]";
  const double before = peak_memory_mib();
  EXPECT_THAT(answer("{\"format\":\"warptune-recording\",\"x\":" + values + "}"),
              HasSubstr("at most 4194304 values"));
  EXPECT_THAT(answer("{\"x\":" + values + "}"), HasSubstr("at most 4194304 values"));
  EXPECT_LT(peak_memory_mib() - before, 512.0);
}

TEST_F(RecordingLimitsTest, TextThatIsNoJsonIsToldWithLineAndColumnInPlainWords) {
  EXPECT_THAT(
      answer("{\"cache\":\n  {\"1\": nul}}"),
      AllOf(StartsWith(path_.string() + ":2:12: expected JSON: syntax error"), Not(HasSubstr("exception"))));
  EXPECT_THAT(answer("{\"cache\": 1e999}"), Not(HasSubstr("exception")));
  const std::string row = with_counters(1, 1);
  EXPECT_THAT(
      answer(row.substr(0, row.size() - 2) + "}\n"),
      AllOf(StartsWith(path_.string() + ":2:"), HasSubstr("expected JSON"), Not(HasSubstr("exception"))));
  EXPECT_THAT(answer("{\"cache\": \"" + std::string(100000, 'x') + "\n"),
              ::testing::SizeIs(::testing::Lt(500U)));
  EXPECT_THAT(answer("{\"Results\": [{}], \"Metadata\": "), Not(HasSubstr("exception")));
}

}  // namespace
}  // namespace warptune::db
