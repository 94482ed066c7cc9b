// `warptune new --from` as a command: what it writes is accepted by `warptune check`, which runs the kernel
// on the CPU and compares it with the captured outputs.
#include "tuner/drafting/draft_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "survey/captures/capture_file.h"
#include "tests/tuner/drafting/launch_builder.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::drafting {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCode = R"(
__constant__ float shift[2];

template <typename T>
__global__ void blend(const T* __restrict__ x, T* y, T factor, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = factor * x[i] + y[i] + T(shift[i % 2]);
}
)";
constexpr int kRows = 37;
constexpr int kColumns = 11;

// A launch of the kernel of `kCode`, with what it computes.
LaunchBuilder blended() {
  LaunchBuilder builder("_Z5blendIfEvPKT_PS0_S0_ii",
                        "void blend<float>(float const*, float*, float, int, int)");
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> after;
  for (int i = 0; i < kRows * kColumns; ++i) {
    x.push_back(0.25F * static_cast<float>(i));
    y.push_back(static_cast<float>(i % 7));
    after.push_back(1.5F * x.back() + y.back() + (i % 2 == 0 ? 10.0F : 20.0F));
  }
  builder.geometry({4, 1, 1}, {128, 1, 1}).buffer(bytes_of(x)).buffer(bytes_of(y), bytes_of(after));
  builder.value(1.5F).value(kRows).value(kColumns);
  builder.variable("shift", bytes_of(std::vector<float>{10, 20}));
  return builder;
}

class NewFromCaptureTest : public ::testing::Test {
 protected:
  std::string capture(LaunchBuilder builder) const {
    const fs::path path = warptune_ / "blend.wtcapture.zst";
    survey::captures::write_capture(builder.launch(), path);
    return path.string();
  }
  testing::ProgramRun made(const std::string& from, const std::vector<std::string>& further = {}) {
    std::vector<std::string> words = {"new", warptune_.file("blend.cu", kCode), "--from", from};
    words.insert(words.end(), further.begin(), further.end());
    return warptune_.run(words);
  }
  testing::ProgramRun checked(const std::vector<std::string>& further = {}) {
    std::vector<std::string> words = {"check", (warptune_ / "blend.toml").string(), "--trust"};
    words.insert(words.end(), further.begin(), further.end());
    return warptune_.run(words);
  }
  // Nothing was written.
  void expect_refusal(const testing::ProgramRun& done, const std::string& reason) {
    EXPECT_EQ(done.exit_code, 2) << done.out << done.err;
    EXPECT_THAT(done.err, HasSubstr(reason));
    EXPECT_FALSE(fs::exists(warptune_ / "blend.toml"));
  }
  testing::Warptune warptune_;
};

TEST_F(NewFromCaptureTest, CheckRunsTheKernelAndComparesTheCapturedOutputs) {
  const testing::ProgramRun done = made(capture(blended()));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out,
              HasSubstr("4 files in " + (warptune_ / "blend.data").string() + " have the contents"));
  const testing::ProgramRun right = checked();
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("no errors and no warnings were found"));
  EXPECT_THAT(right.out, Not(HasSubstr("Nothing is run")));
  std::string wrong = kCode;
  wrong.replace(wrong.find("factor * x[i]"), 13, "factor - x[i]");
  warptune_.file("blend.cu", wrong);
  const testing::ProgramRun found = checked();
  EXPECT_EQ(found.exit_code, 2) << found.out;
  EXPECT_THAT(found.out, HasSubstr("the argument 'y': element 0 of 407 is "));
}

TEST_F(NewFromCaptureTest, AnotherReferenceKeepsTheContents) {
  ASSERT_EQ(made(capture(blended())).exit_code, 0);
  std::string text = testing::slurp(warptune_ / "blend.toml");
  const std::size_t check = text.find("reference = \"file\"");
  ASSERT_NE(check, std::string::npos);
  warptune_.file("blend.toml", text.substr(0, check) + "reference = \"configuration\"\n");
  const testing::ProgramRun done = checked();
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, Not(HasSubstr("Nothing is run")));
}

TEST_F(NewFromCaptureTest, OtherSizesThanTheCapturedOnesAreRefused) {
  ASSERT_EQ(made(capture(blended())).exit_code, 0);
  const testing::ProgramRun other = checked({"--size", "ROWS=38"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("the files of [check] have the right outputs for ROWS=37 COLUMNS=11"));
  EXPECT_THAT(other.err, HasSubstr("found ROWS=38 COLUMNS=11"));
  EXPECT_EQ(warptune_.run({"space", (warptune_ / "blend.toml").string(), "--size", "ROWS=38"}).exit_code, 0);
  fs::remove(warptune_ / "blend.data" / "y.after.npy");
  EXPECT_THAT(checked().err, HasSubstr("the data of argument 'y' cannot be read"));
}

TEST_F(NewFromCaptureTest, BadInputIsOneSentenceAndLeavesNothing) {
  expect_refusal(made(warptune_.file("other.zst", "no capture")), "other.zst");
  expect_refusal(made((warptune_ / "missing.zst").string()), "missing.zst");
  LaunchBuilder other = blended();
  other.launch().name = "copy(float*)";
  expect_refusal(made(capture(other)), "the capture has a launch of 'copy': there is no kernel 'copy'");
  LaunchBuilder more = blended();
  more.value(7);
  expect_refusal(made(capture(more)), "blend has 5 parameters in blend.cu, but 6 in the capture");
  LaunchBuilder without = blended();
  without.launch().buffers.clear();
  expect_refusal(made(capture(without)), "blend has no pointer to captured memory");
  expect_refusal(made(capture(blended()), {"--data-limit", "0"}), "--data-limit");
  expect_refusal(made(capture(blended()), {"--data-limit", "4097"}), "expected at most 4096");
  expect_refusal(warptune_.run({"new", (warptune_ / "blend.cu").string(), "--data-limit", "3"}),
                 "--data-limit is for --from CAPTURE");
  EXPECT_FALSE(fs::exists(warptune_ / "blend.data"));
}

TEST_F(NewFromCaptureTest, NothingIsOverwritten) {
  fs::create_directory(warptune_ / "blend.data");
  expect_refusal(made(capture(blended())), "the folder for the contents exists already");
  EXPECT_EQ(made(capture(blended()), {"--output", (warptune_ / "second.toml").string()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(warptune_ / "second.data" / "x.npy"));
  expect_refusal(made(capture(blended()), {"--output", (warptune_ / "second.toml").string()}),
                 "the file exists already");
}

TEST_F(NewFromCaptureTest, ContentsBeyondTheLimitAreNotWritten) {
  LaunchBuilder builder("_Z1fPci", "f(char*, int)");
  builder.geometry({1, 1, 1}, {32, 1, 1}).buffer(std::string(1536 << 10, 'x')).value(1);
  DraftRequest request;
  request.source = warptune_.file("f.cu", "__global__ void f(char* x, int n) {}");
  request.output = warptune_ / "f.toml";
  request.capture = capture(builder);
  request.limit_mib = 1;
  EXPECT_THROW(write_draft(request), base::InputError);
  EXPECT_FALSE(fs::exists(warptune_ / "f.data"));
  request.limit_mib = 2;
  const Draft draft = write_draft(request);
  EXPECT_EQ(draft.files, 1U);  // The output is unchanged, so one file has both contents.
  EXPECT_EQ(draft.bytes, std::uint64_t{1536} << 10U);
}

// A struct with pointers into the middle of one allocation, woven outputs, a null pointer, and the end of a
// range.
const std::string kWovenCode = R"(
struct Range { const float* begin; const float* end; float scale; };
__global__ void woven(Range x, const float* bias, float* re, float* im) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x.begin + i >= x.end) return;
  const float value = x.scale * x.begin[i] + (bias ? bias[i] : 0.0f);
  re[2 * i] = value;
  im[2 * i] = -value;
}
)";
struct WovenRange {
  std::uint64_t begin;
  std::uint64_t end;
  float scale;
};

TEST_F(NewFromCaptureTest, CheckComparesWovenOutputsOfStructsWithPointers) {
  constexpr int kElements = 50;
  std::vector<float> before(3 * kElements + 3, 7.0F);
  for (int i = 0; i < kElements; ++i) before[static_cast<std::size_t>(i + 3)] = 0.5F * static_cast<float>(i);
  std::vector<float> after = before;
  for (std::size_t i = 0; i < kElements; ++i) {
    after[kElements + 3 + 2 * i] = 2.0F * before[i + 3];
    after[kElements + 4 + 2 * i] = -2.0F * before[i + 3];
  }
  LaunchBuilder builder("_Z5woven5RangePKfPfS2_", "woven(Range, float const*, float*, float*)");
  const std::uint64_t all = builder.allocation(bytes_of(before), bytes_of(after));
  builder.geometry({2, 1, 1}, {32, 1, 1});
  builder.value(WovenRange{all + 12, all + 12 + 4 * kElements, 2.0F}).value(std::uint64_t{0});
  builder.value(all + 4 * (kElements + 3)).value(all + 4 * (kElements + 4));
  const std::string source = warptune_.file("blend.cu", kWovenCode);
  const testing::ProgramRun done = warptune_.run({"new", source, "--from", capture(builder)});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const testing::ProgramRun right = checked();
  EXPECT_EQ(right.exit_code, 0) << testing::slurp(warptune_ / "blend.toml") << right.out << right.err;
  EXPECT_THAT(right.out, Not(HasSubstr("Nothing is run")));
  std::string wrong = kWovenCode;
  wrong.replace(wrong.find("im[2 * i]"), 9, "im[2 * i + 1 - 1 + (i == 9)]");
  warptune_.file("blend.cu", wrong);
  const testing::ProgramRun found = checked();
  EXPECT_EQ(found.exit_code, 2) << found.out;
  EXPECT_THAT(found.out, HasSubstr("the argument 'x_begin': "));
}

}  // namespace
}  // namespace warptune::tuner::drafting
