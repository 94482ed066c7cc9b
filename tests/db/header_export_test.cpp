#include "db/header_export.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/text.h"
#include "db/formats/format_list.h"
#include "tests/db/test_data.h"
#include "tests/db/test_program.h"

namespace warptune::db {
namespace {

using testing::configuration;
using testing::gpu;
using ::testing::HasSubstr;
using testing::winner;
using testing::workload;

model::NamedValues problem(std::int64_t n, const std::string& type = "f32") {
  return {{"N", n}, {"dtype", type}};
}

ExportInput tuned_vector_add() {
  ExportInput input = testing::vector_add();
  input.winners = {
      testing::winner(testing::workload(problem(1 << 20)), testing::configuration(64), 1000.0),
      testing::winner(testing::workload(problem(1 << 24)), testing::configuration(128, true, "ldcs \"x\""),
                      16000.0),
      testing::winner(testing::workload(problem(1 << 22, "f16")), testing::configuration(512), 2000.0),
      testing::winner(testing::workload(problem(1 << 24), testing::gpu(8, 0, 108, "NVIDIA A100 \\")),
                      testing::configuration(512, true), 30000.0)};
  return input;
}

// A kernel with difficult names, a real and a boolean entry, no winners, and a constraint that cannot be
// checked.
ExportInput awkward() {
  ExportInput input;
  input.kernel = "vector_add-2";
  input.kernel_hash = "fedcba9876543210fedcba9876543210";
  input.parameters = {{"int", {std::int64_t{1}, std::int64_t{5000000000}}, "", {}},
                      {"config", {std::string("a\\b\"\n\?\?/"), std::string("c")}, "", {}},
                      {"SCALE", {0.1, 1e300}, "", {}}};
  input.constraints = {{model::Expression::parse("SCALE / colour > 1"), ""},
                       {model::Expression::parse("SCALE < 1"), "\"small\""}};
  input.problem = {{"ratio", 1.5}, {"turned", false}, {"layout", std::string("row-major")}};
  input.default_configuration = {
      {"int", std::int64_t{5000000000}}, {"config", std::string("a\\b\"\n\?\?/")}, {"SCALE", 0.1}};
  return input;
}

constexpr const char* kSelectionProgram = R"cpp(
#include "tuned.h"
#include <cstdio>
#include <cstring>

  namespace w = warptune_vector_add;
  namespace a = warptune_vector_add_2;

  // Anything that cannot be used at compile time is an error here.
  constexpr w::Device h200{90, 132};
  static_assert(w::row_count == 4 && w::choice_count == 5, "rows");
  static_assert(w::select(h200, {1 << 20}).match == w::Match::exact, "exact");
  static_assert(w::select(h200, {1 << 20}).config.BLOCK == 64, "exact");
  static_assert(w::Tuned<90, 132, 1 << 24>::config.STRIDE, "template");
  static_assert(w::Tuned<90, 132, 1 << 22, w::DtypeName::f16>::config.BLOCK == 512, "template");
  static_assert(w::select({}, {1, w::DtypeName::other}).match == w::Match::fallback_default, "default");
  static_assert(a::select(h200, {}).config.int_ == 5000000000LL, "no winners");
  static_assert(a::select(h200, {}).row == a::row_count, "no winners");
  static_assert(w::dtype_of("f16") == w::DtypeName::f16 && w::dtype_of("f64") == w::DtypeName::other,
                "name"
                "s");

  struct FakeProperties {
    int major = 9, minor = 0, multiProcessorCount = 132, l2CacheSize = 62914560, ECCEnabled = 1,
        maxThreadsPerBlock = 1024;
    int maxThreadsPerMultiProcessor = 2048, regsPerMultiprocessor = 65536;
    unsigned long sharedMemPerBlockOptin = 232448, sharedMemPerMultiprocessor = 233472;
  };

  template <int Block>
  int launched() {
    return Block;
  }

  void show(const w::Device& device, const w::Problem& problem) {
    const w::Selection selection = w::select(device, problem);
    int block = 0;
    const bool found =
        w::dispatch(selection.config, [&](auto choice) { block = launched<decltype(choice)::BLOCK>(); });
    std::printf("%d %d %g %d\n", static_cast<int>(selection.match), selection.config.BLOCK,
                selection.size_ratio, found && block == selection.config.BLOCK);
  }

  int main() {
    show(w::device_of(FakeProperties{}), {1 << 24});  // exact
    show(h200, {3 << 20});                            // near: 3 from 2^20, 5.33 from 2^24
    show(h200, {1 << 22});                            // as near to both: the faster
    show({90, 114}, {1 << 23});                       // the capability
    show({86, 82}, {1 << 24});                        // the major
    show({120, 188}, {1 << 24});                      // portable: the faster of two
    show(h200, {1 << 24, w::DtypeName::other});       // another type
    w::Device small = h200;
    small.max_threads_per_block = 32;
    show(small, {1 << 24});  // nothing fits
    show(h200, {100});       // 64 is the only block that N allows
    w::Config none = w::select(h200, {1 << 20}).config;
    none.BLOCK = 1;
    std::printf("%d %s %d %d\n", w::dispatch(none, [](auto) {}), w::kernel_hash,
                static_cast<int>(sizeof(w::kernel_hash)),
                std::strcmp(a::select(h200, {}).config.config_, "a\\b\"\n\?\?/"));
  }
)cpp";

constexpr const char* kSelectionOutput =
    "0 128 1 1\n1 64 3 1\n1 64 4 1\n2 128 2 1\n3 512 1 1\n4 128 1 1\n6 256 0 1\n6 256 0 1\n1 64 10485.8 1\n"
    "0 0123456789abcdef0123456789abcdef 33 0\n";

class HeaderExportTest : public ::testing::Test {
 protected:
  HeaderExportTest() {
    testing::spill(folder_ / "tuned.h", formats::header_format().write({tuned_vector_add(), awkward()}));
  }

  testing::ProgramResult build(const std::string& compiler, const std::string& program,
                               const std::string& extension = ".cpp") {
    testing::spill(folder_ / ("program" + extension), program);
    const std::string folder = folder_.path().string();
    return testing::run_command("cd " + folder + " && " + compiler + " -std=c++17 -o program program" +
                                extension);
  }
  testing::ProgramResult run() { return testing::run_command((folder_ / "program").string()); }

  testing::TemporaryFolder folder_;
};

const std::string kWarnings = " -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror";

TEST_F(HeaderExportTest, GccAcceptsItAndItSelectsAsTheDatabaseDoes) {
  const testing::ProgramResult built = build("g++" + kWarnings, kSelectionProgram);
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run().output, kSelectionOutput);
}

TEST_F(HeaderExportTest, ClangAcceptsItAndItSelectsAsTheDatabaseDoes) {
  if (!testing::has_program("clang++-14")) GTEST_SKIP() << "no clang++-14";
  const testing::ProgramResult built = build("clang++-14" + kWarnings, kSelectionProgram);
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run().output, kSelectionOutput);
}

constexpr const char* kDeviceProgram = R"cpp(
  namespace w = warptune_vector_add;
  struct Store {
    int* out;
    template <class Choice>
    __device__ void operator()(Choice) const {
      *out = Choice::BLOCK;
    }
  };
  extern "C" __global__ void select_on_device(int* out, long long n) {
    constexpr w::Config tuned = w::Tuned<90, 132, 1 << 20>::config;
    __shared__ int scratch[tuned.BLOCK];
    scratch[threadIdx.x % tuned.BLOCK] = 0;
    const w::Selection selection = w::select(w::Device{90, 132}, w::Problem{n});
    w::dispatch(selection.config, Store{out + scratch[0]});
  }
)cpp";

TEST_F(HeaderExportTest, NvccAcceptsItInHostAndDeviceCode) {
  if (!testing::has_program("nvcc")) GTEST_SKIP() << "no nvcc";
  const std::string source = std::string("#include \"tuned.h\"\n") + kDeviceProgram + kSelectionProgram;
  const testing::ProgramResult built =
      build("nvcc -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror", source, ".cu");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run().output, kSelectionOutput);
}

TEST_F(HeaderExportTest, NvrtcAcceptsItWithNoOtherHeader) {
  std::string errors;
  try {
    errors = testing::nvrtc_errors(testing::slurp(folder_ / "tuned.h") + kDeviceProgram);
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(errors, "");
}

TEST_F(HeaderExportTest, TheExampleOfItsPageCompilesAndRuns) {
  const std::string page = testing::slurp(std::string(WARPTUNE_SOURCE_FOLDER) + "/docs/header.md");
  const std::size_t begin = page.find("```cpp\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string example = page.substr(begin + 7, page.find("```", begin + 7) - begin - 7);
  const testing::ProgramResult built = build("g++" + kWarnings, example);
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run().output, "exact: 128 threads per block\n");
}

TEST_F(HeaderExportTest, EachRowHasItsEvidence) {
  const std::string header = testing::slurp(folder_ / "tuned.h");
  EXPECT_THAT(
      header,
      HasSubstr("// NVIDIA H200, N=16777216 dtype=f32: median 16.0 us [16.0 us, 16.0 us], "
                "2.00x the default (32.0 us [32.0 us, 32.0 us]), "
                "20 of 25 evaluations measured, driver 580.65.06 (CUDA 13.0), NVRTC 13.0, warptune 0.1.0, "
                "not confirmed on new inputs\n"));
  EXPECT_THAT(header, HasSubstr("// Not checked, because this header has no colour: SCALE / colour > 1\n"));
}

TEST_F(HeaderExportTest, ARowThatBreaksAConstraintDoesNotCompile) {
  ExportInput input = tuned_vector_add();
  input.constraints.push_back({model::Expression::parse("BLOCK != 128"), "unlucky"});
  testing::spill(folder_ / "tuned.h", formats::header_format().write({input}));
  const testing::ProgramResult built = build("g++", "#include \"tuned.h\"\nint main() {}\n");
  EXPECT_NE(built.code, 0);
  EXPECT_THAT(built.output, HasSubstr("a row violates BLOCK != 128: unlucky"));
}

TEST_F(HeaderExportTest, ARowThatWasPastedTwiceOrAnAlteredHashDoesNotCompile) {
  const std::string header = formats::header_format().write({tuned_vector_add()});
  std::string altered = header;
  altered.replace(altered.find("0123456789abcdef"), 1, "");
  testing::spill(folder_ / "tuned.h", altered);
  EXPECT_THAT(build("g++", "#include \"tuned.h\"\nint main() {}\n").output,
              HasSubstr("the kernel hash was altered"));
  altered = header;
  const std::size_t size = altered.find("1048576LL");
  ASSERT_NE(size, std::string::npos);
  altered.replace(size, 9, "16777216LL");
  testing::spill(folder_ / "tuned.h", altered);
  EXPECT_THAT(build("g++", "#include \"tuned.h\"\nint main() {}\n").output,
              HasSubstr("two rows have the same GPU and problem"));
}

// Drivers do not always say the clock of the memory.
TEST_F(HeaderExportTest, OneGpuWithAndWithoutItsBandwidthHasTwoRows) {
  ExportInput input = testing::vector_add();
  model::Workload workload = testing::workload(problem(4096));
  for (const std::int64_t bandwidth : {std::int64_t{0}, std::int64_t{4'800'000'000'000}}) {
    workload.gpu.memory_bandwidth_bytes_per_s = bandwidth;
    input.winners.push_back(testing::winner(workload, testing::configuration(64), 100.0));
  }
  testing::spill(folder_ / "tuned.h", formats::header_format().write({input}));
  const testing::ProgramResult built = build(
      "g++" + kWarnings,
      "#include \"tuned.h\"\nstatic_assert(warptune_vector_add::row_count == 2, \"\");\nint main() {}\n");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(HeaderExportTest, HeadersOfSeveralFilesLiveTogether) {
  testing::spill(folder_ / "one.h", formats::header_format().write({tuned_vector_add()}));
  testing::spill(folder_ / "two.h", formats::header_format().write({awkward()}));
  const testing::ProgramResult built =
      build("g++" + kWarnings, "#include \"one.h\"\n#include \"two.h\"\n#include \"one.h\"\nint main() {}\n");
  EXPECT_EQ(built.code, 0) << built.output;
}

TEST_F(HeaderExportTest, ManyRowsCompile) {
  ExportInput input = testing::vector_add();
  for (std::int64_t i = 0; i < 200; ++i)
    input.winners.push_back(
        testing::winner(testing::workload(problem(4096 + i)), testing::configuration(64), 100.0));
  testing::spill(folder_ / "tuned.h", formats::header_format().write({input}));
  const std::string program =
      "#include \"tuned.h\"\nstatic_assert(warptune_vector_add::select({90, 132}, {4200}).row == 104, "
      "\"\");\nint main() {}\n";
  for (const char* compiler : {"g++", "clang++-14"}) {
    if (!testing::has_program(compiler)) continue;
    const testing::ProgramResult built = build(compiler, program);
    EXPECT_EQ(built.code, 0) << compiler << "\n" << built.output;
  }
}

}  // namespace
}  // namespace warptune::db
