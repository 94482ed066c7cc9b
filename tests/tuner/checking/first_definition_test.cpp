// `warptune new` on sources of several kinds: `warptune check` accepts what it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/tuner/program.h"

namespace warptune::tuner::checking {
namespace {

using ::testing::HasSubstr;

const std::pair<const char*, const char*> kSources[] = {
    {"saxpy", R"(
__global__ void saxpy(const float* __restrict__ x, float* y, float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + y[i];
})"},
    {"macro_block", R"(
#define HALF 0.5
extern "C" __global__ void halve(double *x, const unsigned long long count) {
  const unsigned long long i = blockIdx.x * static_cast<unsigned long long>(BLOCK_SIZE) + threadIdx.x;
  if (i < count) x[i] *= HALF;
})"},
    {"templated", R"(
template <typename T, int BLOCK, bool ROUND>
__global__ void __launch_bounds__(BLOCK) add(T* c, const T* a, const T* b, size_t rows, size_t columns) {
  const size_t i = blockIdx.x * size_t{BLOCK} + threadIdx.x;
  if (i < rows * columns) c[i] = a[i] + b[i] + T(ROUND);
})"},
    {"scoped", R"(
namespace lab {
inline namespace v1 {
template <int BLOCK>
__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
}
}  // namespace lab
)"},
    {"vectors", R"(
struct Particle { float mass; int kind; };
__global__ void move(float4* positions, const Particle* particles, bool fast) {
  positions[threadIdx.x].x += fast ? particles[threadIdx.x].mass : 1.0f;
})"},
};

TEST(NewCommandTest, CheckAcceptsWhatItWrites) {
  testing::Warptune warptune;
  for (const auto& [name, source] : kSources) {
    const std::string path = warptune.file(std::string(name) + ".cu", source);
    const testing::ProgramRun made = warptune.run({"new", path});
    ASSERT_EQ(made.exit_code, 0) << name << made.err;
    const std::string definition = (warptune / (std::string(name) + ".toml")).string();
    EXPECT_THAT(made.out, HasSubstr("warptune check " + definition));
    const testing::ProgramRun checked = warptune.run({"check", definition, "--sample", "2"});
    EXPECT_EQ(checked.exit_code, 0) << name << checked.out << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("no errors and no warnings were found")) << name;
  }
}

TEST(NewCommandTest, RefusesWhatItCannotChooseOrPassAndOverwritesNothing) {
  testing::Warptune warptune;
  const auto refusal = [&](const std::string& text, std::vector<std::string> further = {}) {
    std::vector<std::string> arguments = {"new", warptune.file("source.cu", text)};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const testing::ProgramRun done = warptune.run(arguments);
    EXPECT_EQ(done.exit_code, 2) << text;
    return done.err;
  };
  EXPECT_THAT(refusal("int main() {}"), HasSubstr("expected a __global__ function, found none"));
  EXPECT_THAT(refusal("__global__ void f() {}"), HasSubstr("f has no parameters"));
  const std::string two = "__global__ void one(int* a) {}\n__global__ void two(int* a) {}\n";
  EXPECT_THAT(refusal(two), HasSubstr("choose one with --entry: one, two"));
  EXPECT_THAT(refusal(two, {"--entry", "tow"}), HasSubstr("did you mean two"));
  EXPECT_THAT(refusal("__global__ void f(int** a) {}"), HasSubstr("'a' of f is a pointer to pointers"));
  EXPECT_THAT(refusal("struct S {};\n__global__ void f(S s) {}"), HasSubstr("'s' of f has the type 'S'"));
  EXPECT_THAT(refusal("/* warptune\n*/\n__global__ void f(int* s) {}"), HasSubstr("description already"));
  const std::string path = warptune.file("source.cu", two);
  EXPECT_EQ(warptune.run({"new", path, "--entry", "one"}).exit_code, 0);
  EXPECT_THAT(warptune.run({"new", path, "--entry", "two"}).err, HasSubstr("exists already"));
  EXPECT_THAT(testing::slurp(warptune / "source.toml"), HasSubstr("entry = \"one\""));
}

}  // namespace
}  // namespace warptune::tuner::checking
