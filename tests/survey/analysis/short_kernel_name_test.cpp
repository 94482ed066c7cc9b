#include "survey/analysis/short_kernel_name.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warptune::survey::analysis {
namespace {

constexpr std::string_view kTorch =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, "
    "3ul> "
    ">(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";

TEST(ShortKernelName, LeavesOutTheSignature) {
  EXPECT_EQ(short_kernel_name("vector_add", 60), "vector_add");
  EXPECT_EQ(short_kernel_name("void scale<float>(float*, int)", 60), "scale<float>");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::step(int)", 60), "(anonymous namespace)::step");
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::step<int>(int)", 60),
            "(anonymous namespace)::step<int>");
  EXPECT_EQ(short_kernel_name("void run<void (*)(int)>(int)", 60), "run<void (*)(int)>");
  EXPECT_EQ(short_kernel_name("", 60), "");
}

TEST(ShortKernelName, LeavesOutNamespacesBeforeItShortensArguments) {
  EXPECT_EQ(
      short_kernel_name(kTorch, 200),
      "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, "
      "3ul> >");
  EXPECT_EQ(short_kernel_name(kTorch, 97),
            "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array<char*, 3ul> >");
  EXPECT_EQ(short_kernel_name(kTorch, 67),
            "vectorized_elementwise_kernel<4, CUDAFunctor_add<...>, array<...> >");
  EXPECT_EQ(short_kernel_name(kTorch, 60), "vectorized_elementwise_kernel<4, CUDAFunctor_add<...>, a...>");
  EXPECT_EQ(short_kernel_name(kTorch, 40), "vectorized_elementwise_kernel<4, CUD...>");
  EXPECT_EQ(short_kernel_name(kTorch, 20), "vectorized_elementwise_kernel<...>");
  EXPECT_EQ(
      short_kernel_name("void n::(anonymous namespace)::run<n::(anonymous namespace)::Add<m::T> >(int)", 20),
      "run<Add<T> >");
}

TEST(ShortKernelName, KeepsTheClassOfAnOperatorAndTheFunctionOfALambda) {
  const std::string_view name =
      "void n::reduce<n::sum<n::T>::operator()(n::It&)::{lambda(float)#1}, n::Less::operator()>(int)";
  EXPECT_EQ(short_kernel_name(name, 70),
            "reduce<sum<T>::operator()(It&)::{lambda(float)#1}, Less::operator()>");
  EXPECT_EQ(short_kernel_name(name, 66),
            "reduce<sum<T>::operator()(It&)::{lambda(...)#1}, Less::operator()>");
}

// Quadratic work would take hours.
TEST(ShortKernelName, MayBeNestedDeeply) {
  constexpr std::size_t kDepth = 200'000;
  std::string name = "f";
  for (std::size_t i = 0; i < kDepth; ++i) name += "<g";
  const std::string open = name;
  name.append(kDepth, '>');
  EXPECT_EQ(short_kernel_name(name, 15), "f<g<g<g<...>>>>");
  EXPECT_EQ(short_kernel_name(open, 60), open) << "no bracket is closed";
}

TEST(ShortKernelName, ShortensNoMoreThanNecessary) {
  EXPECT_EQ(short_kernel_name("f<a<bcdefg>, h<ijklmn>, o<pqrstu<vwxyz>>>", 39),
            "f<a<bcdefg>, h<ijklmn>, o<pqrstu<...>>>");
}

TEST(ShortKernelName, KeepsNamesThatCannotBeShortened) {
  EXPECT_EQ(short_kernel_name("a_rather_long_name_of_a_kernel(int)", 10), "a_rather_long_name_of_a_kernel");
  EXPECT_EQ(short_kernel_name("void compare<&operator<, (a<b>)1>(int)", 200), "compare<&operator<, (a<b>)1>");
}

}  // namespace
}  // namespace warptune::survey::analysis
