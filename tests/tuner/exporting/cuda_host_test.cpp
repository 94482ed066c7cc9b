// The host's part of an exported CUDA file, compiled by g++ and run on a runtime that only prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/shared_library.h"
#include "kernel_templates/library.h"
#include "tests/tuner/exporting/recorded_export.h"
#include "tests/tuner/program.h"
#include "tuner/exporting/cuda_file.h"

namespace warptune::tuner::exporting {
namespace {

constexpr const char* kToy = R"cu(/* warptune
[kernel]
name = "toy"
entry = "toy<{BLOCK}, {dtype}>"
defines = { COLUMNS = "WIDTH" }
[problem]
N = 1000
WIDTH = 4
dtype = "f32"
[problem_values]
dtype = ["f32", "f64"]
[parameters]
BLOCK = [64, 128]
[default]
BLOCK = 64
[constraints]
list = ["N % 4 == 0"]
[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
shared_bytes = "BLOCK * 1000"
cluster = ["BLOCK / 64"]
cluster_scheduling = "spread"
[[launch.before]]
entry = "zero"
grid = ["1"]
block = ["32"]
cooperative = "true"
when = "BLOCK == 128"
[[launch.after]]
entry = "zero"
grid = ["2"]
block = ["32"]
carveout = "N / 100"
when = "N > 2000"
[[argument]]
name = "a"
kind = "in"
type = "dtype"
count = "N"
[[argument]]
name = "config"
kind = "out"
type = "f32"
count = "N"
width = "WIDTH"
pitch = "WIDTH + 4"
[[argument]]
name = "weights"
kind = "in"
type = "f32"
count = "16"
symbol = "c_weights"
[[argument]]
name = "partials"
kind = "scratch"
type = "f32"
count = "ceil_div(N, BLOCK)"
[[argument]]
name = "tickets"
kind = "scratch"
type = "u32"
count = "3"
zero = true
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
[[argument]]
name = "alpha"
kind = "scalar"
type = "f32"
value = "2.5"
[[argument]]
name = "map"
kind = "tensor_map"
of = "a"
shape = ["N / 4", "4"]
box = ["16", "4"]
swizzle = "64"
*/
#include "helper.cuh"
__constant__ float c_weights[16];
struct alignas(64) Map { char bytes[128]; };
template <int Block, class T>
__global__ void toy(const T* a, float* c, float* partials, unsigned* tickets, long long n, float alpha,
                    const __grid_constant__ Map map) {
  if (COLUMNS == 4) c[threadIdx.x] = twice(static_cast<float>(a[0]) * alpha * c_weights[1]);
}
extern "C" __global__ void zero(const dtype*, float*, float*, unsigned*, long long, float,
                                const __grid_constant__ Map) {}
)cu";

constexpr const char* kProgram = R"cpp(
#define BLOCK the_users
#include "toy.cuh"
#include "transpose.cuh"
#include "toy.cuh"

  extern bool fake_has_no_device;
  extern bool fake_has_no_code;
  extern int fake_device_of_streams;

  namespace toy = warptune_toy;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

  void show(cudaError_t error) { std::printf("%d %s\n", static_cast<int>(error), toy::launch_error()); }

  int main() {
    alignas(256) static float a[1000], c[1000], weights[16];
    alignas(256) static double wide[1000];
    alignas(256) static char space[4096];
    const toy::Problem problem;
    std::printf("%s\n", TEXT(BLOCK));
    fake_has_no_device = true;
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, 512));
    fake_has_no_device = false;
    const std::size_t bytes = toy::workspace_bytes(problem);
    std::printf("%zu bytes of workspace\n", bytes);
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, bytes));
    show(toy::set_symbols(nullptr, problem, weights));
    fake_has_no_code = true;
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, bytes));
    fake_has_no_code = false;
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, bytes));
    show(toy::launch(nullptr, problem, a, c, 2.5f, space, bytes));
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, bytes - 1));
    show(toy::launch(nullptr, problem, a, c, 1.5f, space + 16, bytes));
    show(toy::launch(nullptr, problem, a + 1, c, 1.5f, space, bytes));
    show(toy::launch(nullptr, problem, a, nullptr, 1.5f, space, bytes));
    show(toy::launch(nullptr, problem, wide, c, 1.5f, space, bytes));
    fake_device_of_streams = 1;
    show(toy::launch(nullptr, problem, a, c, 1.5f, space, bytes));
    fake_device_of_streams = 0;
    toy::Problem other = problem;
    other.dtype = toy::DtypeName::other;
    show(toy::launch(nullptr, other, a, c, 1.5f, space, bytes));
    other = problem;
    other.WIDTH = 5;
    show(toy::launch(nullptr, other, a, c, 1.5f, space, bytes));
    other = problem;
    other.N = 1001;
    show(toy::launch(nullptr, other, a, c, 1.5f, space, bytes));
    other.N = 4000;
    show(toy::set_symbols(nullptr, other, weights));
    show(toy::launch(nullptr, other, a, c, 1.5f, space, toy::workspace_bytes(other)));
    // From compute capability 10.0 on, loads may have 32 bytes.
    for (const int capability : {90, 100}) {
      const char* fault =
          warptune_detail::fault_of(a + 4, "", "f32", 4000, warptune_detail::alignment_on(capability));
      if (fault == nullptr) continue;
      std::printf("%d: %d %s\n", capability, static_cast<int>(warptune_detail::error_of(fault)), fault);
    }
    // The GPU has refused to say its memory's clock, which is no error of the program.
    std::printf("last error %d\n", static_cast<int>(cudaGetLastError()));
  }
)cpp";

constexpr const char* kOutput = R"(the_users
35 CUDA has no device for this thread
512 bytes of workspace
600 set_symbols was not called for the problem on this device
64 bytes to a variable
0 
map of type 7, 2 dimensions, 250 x 4, rows 1000 bytes apart, box 16 x 4, swizzle 2
209 this file was not compiled for the device (nvcc -arch)
map of type 7, 2 dimensions, 250 x 4, rows 1000 bytes apart, box 16 x 4, swizzle 2
up to 232400 bytes
up to 232400 bytes
12 bytes of 0
grid 1 block 32 shared 0 cooperative n 1000 alpha 1.5
grid 8 block 128 shared 128000 cluster 2 scheduling 1 n 1000 alpha 1.5
0 
map of type 7, 2 dimensions, 250 x 4, rows 1000 bytes apart, box 16 x 4, swizzle 2
12 bytes of 0
grid 1 block 32 shared 0 cooperative n 1000 alpha 2.5
grid 8 block 128 shared 128000 cluster 2 scheduling 1 n 1000 alpha 2.5
0 
1 the workspace is smaller than workspace_bytes(problem)
716 the workspace is not aligned to 256 bytes
716 an argument is not aligned to 16 bytes
1 an argument is a null pointer
1 an argument points to elements of another type
400 the stream belongs to another device than the current one
801 no configuration of this file can run for the problem on this device
801 no configuration of this file can run for the problem on this device
801 no configuration of this file can run for the problem on this device
64 bytes to a variable
0 
map of type 7, 2 dimensions, 1000 x 4, rows 4000 bytes apart, box 16 x 4, swizzle 2
up to 232400 bytes
12 bytes of 0
grid 1 block 32 shared 0 cooperative n 4000 alpha 1.5
grid 32 block 128 shared 128000 cluster 2 scheduling 1 n 4000 alpha 1.5
prefers 40 % of shared memory
grid 2 block 32 shared 0 n 4000 alpha 1.5
0 
100: 716 an argument is not aligned to 32 bytes
last error 0
)";

// Prints what is chosen for a GPU and a problem.
constexpr const char* kShow = R"cpp(
#include <cstdio>
#include "toy.cuh"

  namespace toy = warptune_toy;

  void show(int major, int sm_count, long long n, const char* type) {
    toy::Problem problem;
    problem.N = n;
    problem.dtype = toy::dtype_of(type);
    toy::Device device;
    device.compute_capability = major * 10;
    device.sm_count = sm_count;
    const toy::Choice choice = toy::choose(device, problem);
    std::printf("%d SMs, N=%lld %s: BLOCK=%d, match %d%s\n", sm_count, n, type, choice.selection.config.BLOCK,
                static_cast<int>(choice.selection.match), choice.program < 0 ? ", no program" : "");
  }
)cpp";

constexpr const char* kRecommended = R"cpp(
  int main() {
    show(9, 132, 4000, "f32");
    show(9, 132, 100000, "f32");
    show(9, 132, 100000, "f64");
    show(9, 132, 100000, "f16");
  }
)cpp";

constexpr const char* kChoices = R"cpp(
  int main() {
    show(9, 132, 1000, "f32");
    show(9, 132, 100000, "f32");
    show(9, 132, 1000, "f64");
    show(9, 114, 1000, "f32");
    show(9, 114, 1000, "f64");
    show(9, 132, 4000, "f32");
    show(10, 148, 1000, "f32");
    show(8, 108, 1000, "f32");
    show(9, 132, 1000, "f16");
  }
)cpp";

constexpr const char* kChosen = R"(132 SMs, N=1000 f32: BLOCK=128, match 0
132 SMs, N=100000 f32: BLOCK=64, match 0
132 SMs, N=1000 f64: BLOCK=64, match 0
114 SMs, N=1000 f32: BLOCK=64, match 0
114 SMs, N=1000 f64: BLOCK=64, match 2
132 SMs, N=4000 f32: BLOCK=128, match 1
148 SMs, N=1000 f32: BLOCK=64, match 4
108 SMs, N=1000 f32: BLOCK=64, match 6, no program
132 SMs, N=1000 f16: BLOCK=64, match 6, no program
)";

class CudaHostTest : public ::testing::Test {
 protected:
  CudaHostTest() {
    machine_.file("helper.cuh", "#pragma once\n__device__ inline float twice(float x) { return 2 * x; }\n");
    toy_ = kernel_templates::load_kernel(machine_.file("toy.cu", kToy));
    for (const std::string& folder : base::cuda_include_folders()) includes_ += " -isystem " + folder;
  }
  db::Winner winner() const {
    db::Winner winner;
    winner.workload = {"toy", toy_.hash, toy_.problem, model::fictional_gpu()};
    winner.best.status = model::Status::kMeasured;
    winner.best.configuration = {{"BLOCK", std::int64_t{128}}};
    winner.best.time = {1000.0, 1000.0, 1000.0};
    return winner;
  }

  testing::Warptune machine_;
  kernel_templates::KernelDefinition toy_;
  std::string includes_;
};

TEST_F(CudaHostTest, LaunchesAndRefusesWrongInputsWithoutLaunching) {
  machine_.file("toy.cuh", cuda_file({export_of(toy_, winner())}));
  machine_.file("transpose.cuh", cuda_file({recorded_export("transpose")}));
  machine_.file("program.cpp", std::string("#include <cstdio>\n") + kProgram);
  const testing::ProgramRun built = machine_.shell(
      "cd " + machine_.folder().path().string() + " && g++ -std=c++17 -Wall -Wextra -Werror" + includes_ +
      " program.cpp " WARPTUNE_TUNER_TEST_DATA "/fake_cuda_runtime.cpp -o program");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(machine_.shell((machine_ / "program").string()).out, kOutput);
}

TEST_F(CudaHostTest, AFileHasRowsOfSeveralGpusSizesAndTypes) {
  KernelExport exported = export_of(toy_, winner());
  const auto add = [&](std::int64_t n, const std::string& type, int sm_count, std::int64_t block) {
    db::Winner other = winner();
    other.workload.problem = {{"N", n}, {"WIDTH", std::int64_t{4}}, {"dtype", type}};
    other.workload.gpu.sm_count = sm_count;
    other.best.configuration = {{"BLOCK", block}};
    exported.input.winners.push_back(std::move(other));
  };
  add(100'000, "f32", 132, 64);
  add(1000, "f64", 132, 64);
  add(1000, "f32", 114, 64);
  machine_.file("toy.cuh", cuda_file({exported}));
  machine_.file("program.cpp", std::string(kShow) + kChoices);
  const testing::ProgramRun built = machine_.shell(
      "cd " + machine_.folder().path().string() + " && g++ -std=c++17 -Wall -Wextra -Werror" + includes_ +
      " program.cpp " WARPTUNE_TUNER_TEST_DATA "/fake_cuda_runtime.cpp -o program");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(machine_.shell((machine_ / "program").string()).out, kChosen);
}

TEST_F(CudaHostTest, WhatTheDefinitionRecommendsHasAProgramForEachType) {
  KernelExport exported = export_of(toy_, winner());
  db::Winner other = winner();
  other.workload.problem = {
      {"N", std::int64_t{1000}}, {"WIDTH", std::int64_t{4}}, {"dtype", std::string("f64")}};
  exported.input.winners.push_back(std::move(other));
  exported.input.recommendations = {{"N >= 50000", {{"BLOCK", std::int64_t{64}}}}};
  machine_.file("toy.cuh", cuda_file({exported}));
  machine_.file("program.cpp", std::string(kShow) + kRecommended);
  const testing::ProgramRun built = machine_.shell(
      "cd " + machine_.folder().path().string() + " && g++ -std=c++17 -Wall -Wextra -Werror" + includes_ +
      " program.cpp " WARPTUNE_TUNER_TEST_DATA "/fake_cuda_runtime.cpp -o program");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(machine_.shell((machine_ / "program").string()).out,
            "132 SMs, N=4000 f32: BLOCK=128, match 1\n"
            "132 SMs, N=100000 f32: BLOCK=64, match 5\n"
            "132 SMs, N=100000 f64: BLOCK=64, match 5\n"
            "132 SMs, N=100000 f16: BLOCK=64, match 6, no program\n");
}

TEST_F(CudaHostTest, OtherRowsOfAKernelInASecondFileAreAnError) {
  db::Winner other = winner();
  other.workload.problem = {
      {"N", std::int64_t{2000}}, {"WIDTH", std::int64_t{4}}, {"dtype", std::string("f32")}};
  machine_.file("toy.cuh", cuda_file({export_of(toy_, winner())}));
  machine_.file("second.cuh", cuda_file({export_of(toy_, other)}));
  machine_.file("program.cpp", "#include \"toy.cuh\"\n#include \"second.cuh\"\n");
  const testing::ProgramRun built =
      machine_.shell("cd " + machine_.folder().path().string() + " && g++ -std=c++17 -fsyntax-only" +
                     includes_ + " program.cpp");
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(built.err, ::testing::HasSubstr("two exported files have the kernel toy"));
}

}  // namespace
}  // namespace warptune::tuner::exporting
