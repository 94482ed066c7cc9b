// Sources with headers that NVRTC lacks and with host code beside their kernels: they compile, and messages
// name the author's files and lines. Sources that need none of it stay as they are.

#include "kernel_templates/adapting/adapted_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "definitions.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"

namespace warptune::kernel_templates::adapting {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kMain = R"(
int main(int argc, char** argv) {
  std::vector<float> x(1000);
  scale<<<10, 100>>>(x.data(), x.data(), 1000);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return EXIT_SUCCESS;
}
)";

// The code of the small definition, which begins at line 53 of the file, behind further lines.
class AdaptedSource : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  }
  KernelInstance instance(const std::string& top, const std::string& bottom = "",
                          const std::string& toml = kScaleToml) const {
    return KernelInstance(
        load_kernel_definition(folder_.write("scale.cu", embedded(toml, top + kScaleCode + bottom))), {},
        model::fictional_gpu());
  }
  // The compiler's messages; empty if there are none.
  static std::string messages(const KernelInstance& instance) {
    model::Outcome<CompileRequest> request = instance.compile_request(instance.default_configuration());
    if (!request) return request.error().reason;
    std::erase(request->options, "-pch");  // NVRTC reports precompiled headers of other sources.
    const model::Outcome<CompiledKernel> outcome = compile(*request);
    return outcome ? outcome->log : outcome.error().reason;
  }
  // The line of `text` in the file.
  int line_of(const std::string& file, const std::string& text) const {
    std::istringstream lines(base::read_file(folder_.path() / file));
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
      if (line.find(text) != std::string::npos) return number;
    }
    return 0;
  }
  TemporaryFolder folder_;
};

TEST_F(AdaptedSource, CompilesWithHeadersThatNvrtcLacksAndHostCode) {
  const std::string headers =
      "#include <cstdio>\n#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include <cstdlib>\n"
      "#include <type_traits>\n#include <vector>\n#include <string>\n#include <iostream>\n"
      "#include <cuda_runtime.h>\n#include \"helper_cuda.h\"\n";
  EXPECT_EQ(messages(instance(headers, kMain)), "");
}

TEST_F(AdaptedSource, CompilesWithWhatTheHeadersDeclare) {
  const std::string uses = R"(
using namespace std;
__device__ float use(float* a, uint32_t n, std::uint8_t b, int64_t c) {
  assert(n > 0);
  printf("%d", b);
  std::printf("%d", b);
  a[0] = std::sqrt(a[1]) + sqrt(a[1]) + std::abs(a[2]) + abs(a[2]) + std::pow(a[3], 2.0f) + fmaxf(a[4], 1.0f);
  a[1] = std::max(1, 2) + max(a[1], a[2]) + std::min(a[3], a[4]) + (std::isnan(a[0]) ? 1 : 0) + M_PI;
  a[2] = INFINITY + NAN + FLT_MAX + INT_MAX + DBL_EPSILON + UINT_MAX + numeric_limits<float>::max();
  if (std::is_same<float, double>::value || std::is_integral_v<int>) a[3] = std::plus<float>()(a[1], a[2]);
  memcpy(a, a + 4, 4);
  std::memset(a, 0, sizeof(float));
  std::swap(a[0], a[1]);
  const uint unsigned_too = ushort(3);
  a[5] = unsigned_too;
  const std::pair<int, float> p = std::make_pair(1, 2.0f);
  const std::array<int, 2> q = {1, 2};
  const std::size_t size = n + static_cast<std::size_t>(c);
  return p.second + q[0] + static_cast<float>(size) + static_cast<float>(std::ptrdiff_t(3));
}
)";
  const std::string headers =
      "#include <cstdio>\n#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include "
      "<cstring>\n#include <cstdlib>\n"
      "#include <cfloat>\n#include <climits>\n#include <limits>\n#include <type_traits>\n#include "
      "<algorithm>\n"
      "#include <functional>\n#include <utility>\n#include <array>\n#include <cstddef>\n#include <complex>\n";
  EXPECT_EQ(messages(instance(headers + uses)), "");
}

TEST_F(AdaptedSource, CompilesWithCooperativeGroupsCubAndThrust) {
  const std::string uses = R"(
namespace cg = cooperative_groups;
__device__ float use(float a) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage storage;
  cg::this_thread_block().sync();
  return Reduce(storage).Sum(a) + thrust::plus<float>()(a, a);
}
struct Square {
  __host__ __device__ float operator()(float a) const { return a * a; }
};
float on_the_host(thrust::device_vector<float>& x) {
  return thrust::transform_reduce(x.begin(), x.end(), Square(), 0.0f, thrust::plus<float>());
}
)";
  EXPECT_EQ(messages(instance("#include <cooperative_groups.h>\n#include <cub/cub.cuh>\n"
                              "#include <thrust/device_vector.h>\n#include <thrust/functional.h>\n"
                              "#include <thrust/transform_reduce.h>\n" +
                                  uses,
                              kMain)),
            "");
}

// For each stand-in the line that includes it twice, and at the end all of them.
std::vector<std::string> included_stand_ins() {
  std::vector<std::string> texts;
  std::string all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(stand_in_folder())) {
    if (!entry.is_regular_file()) continue;
    const std::string line =
        fmt::format("#include <{}>\n", entry.path().lexically_relative(stand_in_folder()).generic_string());
    texts.push_back(line + line);
    all += line;
  }
  texts.push_back(all);
  return texts;
}

TEST_F(AdaptedSource, MayIncludeEveryStandInTwiceAndAllTogether) {
  for (const std::string& headers : included_stand_ins()) {
    const KernelInstance included = instance(headers);
    const auto request = included.compile_request(included.default_configuration());
    ASSERT_TRUE(request.has_value()) << headers << request.error().reason;
    EXPECT_THAT(request->source, HasSubstr("scale")) << headers;
  }
}

// Instrumented builds leave these out (cmake/WarptuneModule.cmake): NVRTC compiles the same text in each
// build.
class StandInCompile : public AdaptedSource {};

TEST_F(StandInCompile, EachCompilesAloneTwiceAndTogether) {
  const std::vector<std::string> texts = included_stand_ins();
  for (std::size_t i = 0; i + 1 < texts.size(); ++i) EXPECT_EQ(messages(instance(texts[i])), "") << texts[i];
  EXPECT_THAT(messages(instance(texts.back())), Not(HasSubstr("error")));
}

TEST_F(AdaptedSource, HasTheFunctionsOfComplexAndOfRealNumbers) {
  const std::string uses =
      "#include <complex>\n#include <cmath>\n__device__ float f(std::complex<float> z, float x) {\n"
      "  const std::complex<float> w = std::exp(z) * std::sqrt(z) + std::pow(z, 2.0f) + std::pow(z, z) + "
      "exp(z);\n"
      "  const std::complex<float> v = std::sin(w) + std::cosh(w) + std::log(w) + std::polar(1.0f, x);\n"
      "  return std::abs(v) + std::arg(v) + std::norm(v) + std::exp(x) + std::sqrt(x) + std::abs(x);\n}\n";
  EXPECT_EQ(messages(instance(uses)), "");
}

TEST_F(AdaptedSource, NamesTheAuthorsFileAndLineInMessages) {
  folder_.write("helpers.h",
                "#pragma once\n#include <vector>\nvoid fill(std::vector<float>& x) {\n  x.clear();\n}\n"
                "__device__ int wrong() { return missing_in_header; }\n");
  const KernelInstance both = instance("#include <cstdio>\n#include \"helpers.h\"\n#include \"helpers.h\"\n",
                                       kMain + "__device__ int f() { return missing_in_source; }\n");
  const std::string text = messages(both);
  EXPECT_THAT(text, HasSubstr((folder_.path() / "helpers.h").string() +
                              "(6): error: identifier \"missing_in_header\""));
  EXPECT_THAT(text, HasSubstr(fmt::format("{}({}): error: identifier \"missing_in_source\"",
                                          (folder_.path() / "scale.cu").string(),
                                          line_of("scale.cu", "missing_in_source"))));
  EXPECT_THAT(text, Not(HasSubstr("stand_ins")));
}

TEST_F(AdaptedSource, LeavesOutTheHostCodeOfTheAuthorsHeaders) {
  folder_.write("helpers/check.h",
                "#ifndef CHECK_H\n#define CHECK_H\n#include <stdexcept>\n#include \"types.h\"\n"
                "inline void check(cudaError_t e) { if (e) throw std::runtime_error(\"no\"); }\n#endif\n");
  folder_.write("helpers/types.h",
                "#pragma once\nstruct Size { int n; Size(int n) : n(n) { check(0); } };\n");
  EXPECT_EQ(messages(instance("#include \"helpers/check.h\"\n#include \"helpers/types.h\"\n", kMain)), "");
}

// Each of many headers includes all that precede it.
TEST_F(AdaptedSource, HasEachGuardedHeaderOnce) {
  std::string includes;
  for (int i = 0; i < 24; ++i) {
    const std::string name = fmt::format("h{}.h", i);
    folder_.write(
        name, i % 2 == 0 ? fmt::format("#pragma once\n{}int f{}();\n", includes, i)
                         : fmt::format("#ifndef H{0}\n#define H{0}\n{1}int f{0}();\n#endif\n", i, includes));
    includes += fmt::format("#include \"{}\"\n", name);
  }
  EXPECT_EQ(messages(instance("#include <cstdio>\n" + includes)), "");
  EXPECT_LT(adapted(folder_.path() / "scale.cu", includes, {}, nullptr).size(), 10000U);
}

TEST_F(AdaptedSource, IsFoundInTheCurrentFolder) {
  instance("#include <cstdio>\n#include <cuda_fp16.h>\n", kMain);
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const std::string text =
      messages(KernelInstance(load_kernel_definition("scale.cu"), {}, model::fictional_gpu()));
  fs::current_path(before);
  EXPECT_EQ(text, "");
}

TEST_F(AdaptedSource, SaysWhichFileIsMissing) {
  EXPECT_THAT(messages(instance("#include <cstdio>\n#include \"absent.h\"\n")),
              HasSubstr("cannot open source file \"absent.h\""));
}

TEST_F(AdaptedSource, HonoursTheFlagThatMakesFunctionsThoseOfTheGpu) {
  const std::string toml =
      with(kScaleToml, "entry = \"scale\"\n", "entry = \"scale\"\nflags = [\"-default-device\"]\n");
  EXPECT_EQ(messages(instance("#include <cmath>\nfloat half_of(float a) { return std::sqrt(a) / 2; }\n",
                              "__device__ float f() { return half_of(3); }\n", toml)),
            "");
}

TEST_F(AdaptedSource, IsUsedForAReferenceToo) {
  const KernelInstance with_reference =
      instance("#include <cstdio>\n",
               kMain + "extern \"C\" __global__ void plain(const dtype* x, dtype* y, long long n) {}\n",
               kScaleToml + "[check]\nreference = \"entry\"\nentry = \"plain\"\ngrid = 1\nblock = 1\n");
  const model::Outcome<CompileRequest> request = with_reference.reference_request();
  ASSERT_TRUE(request);
  const model::Outcome<CompiledKernel> outcome = compile(*request);
  EXPECT_TRUE(outcome) << outcome.error().reason;
}

TEST_F(AdaptedSource, ReadsOnlyWhatTheDefinitionMayRead) {
  folder_.write("secret.h", "int secret;\n");
  const fs::path file = folder_.write(
      "own/scale.cu",
      embedded(kScaleToml, "#include <cstdio>\n#include \"../secret.h\"\n" + kScaleCode + kMain));
  EXPECT_THAT(load_failure(file), HasSubstr("is outside of the definition's folder"));
}

// Their recordings and rows are found by the hash, and compiled programs by the text.
TEST_F(AdaptedSource, IsNoSourceThatNvrtcTakesAsItIs) {
  for (const std::string& top :
       {std::string(), std::string("#ifndef __CUDACC_RTC__\n#include <cstdio>\nint main() {}\n#endif\n"),
        std::string("#ifdef HOST_PROGRAM\n#include <vector>\nint main() {}\n#endif\n"),
        std::string("#include <cuda_runtime.h>\n#include <cooperative_groups.h>\n#include "
                    "<cub/block/block_load.cuh>\n"),
        std::string("#if 0\n#include <cstdio>\n#endif\n")}) {
    const fs::path file = folder_.write("k.cu", top + kScaleCode);
    EXPECT_FALSE(needs_adapting(file, top + kScaleCode, {}, nullptr)) << top;
    const KernelInstance plain = instance(top);
    const model::Outcome<CompileRequest> request = plain.compile_request(plain.default_configuration());
    ASSERT_TRUE(request);
    EXPECT_THAT(request->options, Not(Contains(HasSubstr("stand_ins"))));
    EXPECT_THAT(request->options, Not(Contains("-default-device")));
  }
}

TEST(ShippedSources, NeedNoAdapting) {
  for (const char* const folder : {"kernels", "lab"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(base::share_folder() / folder)) {
      if (entry.path().extension() != ".cu") continue;
      const std::string code = compiling::split_source(base::read_file(entry.path()), "").code;
      EXPECT_FALSE(needs_adapting(entry.path(), code, {}, nullptr)) << entry.path();
    }
  }
}

TEST_F(AdaptedSource, ChangesTheHash) {
  const std::string before = instance("#if 0\n#include <cstdio>\n#endif\n").definition().hash;
  const KernelInstance after = instance("#if 1\n#include <cstdio>\n#endif\n");
  EXPECT_NE(after.definition().hash, before);
  const model::Outcome<CompileRequest> request = after.compile_request(after.default_configuration());
  ASSERT_TRUE(request);
  EXPECT_THAT(request->options, Contains("-I" + stand_in_folder().string()));
}

}  // namespace
}  // namespace warptune::kernel_templates::adapting
