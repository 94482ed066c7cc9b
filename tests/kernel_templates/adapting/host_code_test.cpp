// What is left out of a source as host code, and what stays.

#include "kernel_templates/adapting/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warptune::kernel_templates::adapting {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string left(const std::string& source) {
  const SourceTokens tokens = read_tokens(source);
  return without_host_code(source, tokens, find_host_code(tokens, device_words({&tokens})));
}

bool is_surely_refused(const std::string& source) {
  const SourceTokens tokens = read_tokens(source);
  const std::vector<HostCode> found = find_host_code(tokens, device_words({&tokens}));
  return std::any_of(found.begin(), found.end(), [](const HostCode& code) { return code.surely_refused; });
}

// What is left of a source, without blanks and empty lines.
std::string squeezed(const std::string& source) {
  std::string text;
  for (const char c : left(source)) {
    if (c != ' ' && c != '\n') text += c;
  }
  return text;
}

TEST(HostCode, IsLeftOutWithoutMovingALine) {
  const std::string source =
      "__global__ void k(int* a) {\n  a[0] = 1;\n}\nint main() {\n  k<<<1, 1>>>(0);\n}\n__device__ int d;\n";
  EXPECT_EQ(
      left(source),
      "__global__ void k(int* a) {\n  a[0] = 1;\n}\n            \n                 \n \n__device__ int d;\n");
}

TEST(HostCode, HasEveryFormOfAFunctionOfTheHost) {
  for (const std::string code : {"int main(int n, char** words) { return f({1, 2}); }",
                                 "static inline std::vector<float> make(int n) {}",
                                 "template <class T, int n = (3 > 2)> T add(T a) { return a; }",
                                 "extern \"C\" void run(float* p) { }",
                                 "__host__ void h() {}",
                                 "void Timer::start() { }",
                                 "Timer::Timer(int n) : n_(n), m_{n} { go(); }",
                                 "auto f(int a) -> decltype(a) { return a; }",
                                 "bool operator<(const A& a, const A& b) { return 1; }",
                                 "std::ostream& operator<<(std::ostream& o, const A& a) { return o; }",
                                 "FILE* open_it() { return 0; }",
                                 "TEST(Kernel, Runs) { }",
                                 "void declared(const std::string& name);",
                                 "int (*table)(int);",
                                 "std::vector<int> data = {1, 2};",
                                 "float* pointer;",
                                 "static int counter = 0;",
                                 "dim3 grid(3, 4);",
                                 "const std::string name = \"k\";",
                                 "struct Pair make_pair(int a) { }",
                                 "void f() {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}"}) {
    std::string text = squeezed(code);
    for (const char* const kept : {"#ifdefA", "#else", "#endif"}) {
      if (const std::size_t at = text.find(kept); at != std::string::npos)
        text.erase(at, std::string(kept).size());
    }
    EXPECT_EQ(text, "") << code;
  }
}

TEST(HostCode, IsNotWhatKernelsMayUse) {
  for (const std::string code :
       {"__global__ void __launch_bounds__(256) k(int* a) { a[0] = 1; }",
        "__device__ float f(float a) { return a; }",
        "template <class T> __host__ __device__ T add(T a) { return a; }",
        "constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }",
        "const int N = 4;",
        "static const float WEIGHTS[3] = {1, 2, 3};",
        "constexpr double PI = 3.14;",
        "using real = float;",
        "typedef struct { float x; } Body;",
        "struct A;",
        "enum Kind { kOne = 1 << 2, kTwo };",
        "enum class Kind : int { kOne };",
        "static_assert(sizeof(int) == 4);",
        "__constant__ float c[4];",
        "extern __shared__ float s[];",
        "namespace cg = cooperative_groups;",
        "using namespace std;",
        "template __global__ void k<3>(int*);",
        "struct __align__(16) Body { float4 position; float mass = 1.0f; };",
        "struct Functor { __device__ float operator()(float a) const { return a; } };",
        "struct Shared { __device__ operator float*() { return p; } float* p; float (*op)(float); };",
        "namespace { __device__ int d; }",
        "__device__ auto f = [] __device__(int a) { return a; };"}) {
    EXPECT_EQ(left(code), code);
    EXPECT_FALSE(is_surely_refused(code)) << code;
  }
}

TEST(HostCode, LeavesTheDataAndTheDeviceFunctionsOfClasses) {
  const std::string text = squeezed(
      "class Grid : public Base<int> {\n public:\n  Grid(int n) : n_(n) { allocate(); }\n  ~Grid();\n"
      "  void print() const { std::cout << n_; }\n  __device__ int size() const { return n_; }\n"
      "  virtual int rows() { return std::stoi(\"3\"); }\n  Grid() = default;\n private:\n  int n_ = 3;\n};");
  EXPECT_EQ(text,
            "classGrid:publicBase<int>{public:__device__intsize()const{returnn_;}virtualintrows();"
            "Grid()=default;private:intn_=3;};");
}

TEST(HostCode, KnowsTheMacrosThatPutAFunctionOnTheGpu) {
  const std::string source =
      "#define DEVICE __device__ __forceinline__\n#define HD DEVICE\n#define KERNEL(name) __global__ void "
      "name\n"
      "HD int f(int a) { return a; }\nKERNEL(k)(int* a) { a[0] = f(1); }\nint main() { }\n";
  EXPECT_THAT(left(source), HasSubstr("HD int f(int a) { return a; }\nKERNEL(k)(int* a) { a[0] = f(1); }\n"));
  EXPECT_THAT(left(source), Not(HasSubstr("main")));
}

TEST(HostCode, KeepsAFunctionBehindAWordInCapitalsThatMayBeAnUnknownMacro) {
  EXPECT_EQ(left("DEVICE_FUNCTION float f(float a) { return a; }"),
            "DEVICE_FUNCTION float f(float a) { return a; }");
  EXPECT_FALSE(is_surely_refused("DEVICE_FUNCTION float f(float a) { return a; }"));
}

TEST(HostCode, ReadsCommentsLiteralsAndDirectivesAsTheyAre) {
  const std::string source =
      "// int main() {\n/* { */ __global__ void k(char* a) { a[0] = '{'; a[1] = \"}\\\"\"[0]; }\n"
      "__device__ const char* raw = R\"x(int main() { )\" }})x\";\n#define OPEN { \\\n  {\n"
      "__device__ int d = 1'000;\n";
  EXPECT_EQ(left(source), source);
}

TEST(HostCode, IsSurelyRefusedOnlyWhereNvrtcReadsIt) {
  EXPECT_TRUE(is_surely_refused("int main() {}"));
  EXPECT_TRUE(is_surely_refused("#ifndef GUARD\n#define GUARD\nint main() {}\n#endif"));
  EXPECT_TRUE(is_surely_refused("#ifdef _WIN32\n#else\nint main() {}\n#endif"));
  EXPECT_TRUE(is_surely_refused("#if !defined(_MSC_VER)\nint main() {}\n#endif"));
  EXPECT_FALSE(is_surely_refused("#ifndef __CUDACC_RTC__\nint main() {}\n#endif"));
  EXPECT_FALSE(is_surely_refused("#if 0\nint main() {}\n#endif"));
  EXPECT_FALSE(is_surely_refused("#ifdef HOST_TOO\nint main() {}\n#endif"));
  EXPECT_FALSE(is_surely_refused("#if !defined(WARPTUNE)\nint main() {}\n#endif"));
}

TEST(HostCode, IsLookedForInAnyText) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "namespace {";
  EXPECT_EQ(left(deep), deep);
  const std::string negated = "#if " + std::string(100000, '!') + "0\n#endif\n";
  EXPECT_EQ(left(negated), negated);
  for (const std::string text :
       {"}}} )]", "template <", "void f(", "struct {", "f() : a", "R\"x(", "\"", "/*", "#"})
    EXPECT_EQ(left(text).size(), text.size());
}

TEST(HostCode, TakesConditionsAndMacrosWithinAFunctionAlong) {
  const std::string text =
      left("void f() {\n#define SIZE 4\n#include <host.h>\n  g();\n}\n__device__ int a[SIZE];\n");
  EXPECT_THAT(text, HasSubstr("#define SIZE 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("include")));
}

}  // namespace
}  // namespace warptune::kernel_templates::adapting
