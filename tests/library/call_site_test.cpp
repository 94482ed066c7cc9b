// The C++ interface, warptune.hpp.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "library/include/warptune.hpp"
#include "tests/library/interface_fixture.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::library {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CallSiteTest : public InterfaceTest {
 protected:
  warptune_open_options options() {
    warptune_open_options options{};
    options.database = database_.c_str();
    options.compile_cache = cache_.c_str();
    return options;
  }
};

TEST_F(CallSiteTest, AProgramSelectsLoadsAndLaunches) {
  const Library library(options());
  const Kernel kernel = library.kernel(scaled_sum().string());
  EXPECT_THAT(kernel.problem(), ElementsAre("N", "dtype"));
  const warptune::Selection selection = kernel.select(4096, "f32");
  EXPECT_EQ(selection.integer("BLOCK"), 256);
  const Code code = selection.load();
  const auto* in = reinterpret_cast<const float*>(0x10000);
  auto* out = reinterpret_cast<float*>(0x20000);
  const float alpha = 3.0F;
  code.launch_in(nullptr, reinterpret_cast<void*>(0x30000), code.workspace_bytes(), buffer(in, 4096),
                 buffer(out, 4096), scalar(alpha), usual_scalar<std::int32_t>());
  EXPECT_EQ(profiling::fake_cuda().launches.back().parameters[3], 0x40400000U);
}

TEST_F(CallSiteTest, AFailureIsAnExceptionWithItsStatus) {
  const Library library(options());
  try {
    library.kernel("scaled_summ");
    FAIL() << "expected an exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), WARPTUNE_ERROR_INPUT);
    EXPECT_THAT(error.what(), HasSubstr("scaled_summ"));
  }
  EXPECT_THROW(library.snapshot_hash(), Error);
}

TEST_F(CallSiteTest, ACallSiteGivesTheAnswersOfItsKernel) {
  const Library library(options());
  const Kernel kernel = library.kernel(scaled_sum().string());
  CallSite<1> site(kernel, {"f32"});
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t n : {4096, 65536, 100, 200, 300, 400, 500})  // More than it remembers.
      EXPECT_EQ(site.select(n).get(), kernel.select(n, "f32").get());
  }
}

TEST_F(CallSiteTest, ThreadsShareACallSite) {
  const Library library(options());
  CallSite<1> site(library.kernel(scaled_sum().string()));
  const warptune::Selection right = site.select(4096);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        wrong += site.select(4096).get() == right.get() ? 0 : 1;
        site.select(100 + n % 7);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CallSiteTest, TypesHaveTheirNumbers) {
  EXPECT_EQ(type_of<float>(), WARPTUNE_F32);
  EXPECT_EQ(type_of<const double>(), WARPTUNE_F64);
  EXPECT_EQ(type_of<std::int8_t>(), WARPTUNE_I8);
  EXPECT_EQ(type_of<std::uint16_t>(), WARPTUNE_U16);
  EXPECT_EQ(type_of<long long>(), WARPTUNE_I64);
  EXPECT_EQ(type_of<unsigned>(), WARPTUNE_U32);
}

}  // namespace
}  // namespace warptune::library
