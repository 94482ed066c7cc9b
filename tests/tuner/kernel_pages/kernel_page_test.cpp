// The pages of the shipped kernels are written from their definitions:
//   WARPTUNE_UPDATE_SNAPSHOTS=1 ctest -R tuner.KernelPage

#include "tuner/kernel_pages/kernel_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/kernel_templates/library_cases.h"

namespace warptune::tuner::kernel_pages {
namespace {

namespace fs = std::filesystem;

const fs::path kPages = kernel_templates::tested_sources() / "docs/kernels";

class KernelPage : public ::testing::TestWithParam<std::string> {};

TEST_P(KernelPage, IsWhatTheDefinitionSays) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(kernel_templates::library_file(GetParam()).string());
  const std::string page = kernel_page(definition);
  EXPECT_FALSE(definition.description.empty());
  EXPECT_FALSE(definition.about.empty()) << "a shipped kernel says what its space holds";
  const fs::path file = kPages / (GetParam() + ".md");
  if (std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr) {
    fs::create_directories(kPages);
    std::ofstream(file) << page;
    return;
  }
  ASSERT_TRUE(fs::exists(file)) << file << " is missing; WARPTUNE_UPDATE_SNAPSHOTS=1 writes it";
  EXPECT_EQ(base::read_file(file), page) << file << " differs; WARPTUNE_UPDATE_SNAPSHOTS=1 writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Shipped, KernelPage, ::testing::ValuesIn(kernel_templates::library_kernels()),
                         [](const auto& parameter) { return parameter.param; });

TEST(KernelPages, AreOfShippedKernelsOnly) {
  const std::vector<std::string> kernels = kernel_templates::library_kernels();
  std::set<std::string> known(kernels.begin(), kernels.end());
  known.insert("index");  // scripts/kernel-index writes it.
  for (const fs::directory_entry& entry : fs::directory_iterator(kPages))
    EXPECT_EQ(known.count(entry.path().stem().string()), 1U) << entry.path();
}

TEST(KernelPages, SayWhatHoldsForManagedMemoryAndWhereAPrefetchMovesIt) {
  const std::string page = kernel_page(kernel_templates::load_kernel_definition(
      kernel_templates::tested_sources() / "tests/profiling/data/managed.cu"));
  EXPECT_THAT(page, ::testing::HasSubstr(
                        "| in, memory `\"managed\"`, residency `RESIDENCY`, read mostly `READ_MOSTLY`, "
                        "preferred location `PREFERRED`, accessed by `ACCESSED_BY` |"));
  EXPECT_THAT(page, ::testing::HasSubstr("prefetch `x` to `\"device\"` | `PREFETCH`"));
}

TEST(KernelPages, SayWhenAnAllocationIsFromThePool) {
  const std::string page = kernel_page(kernel_templates::load_kernel_definition(
      kernel_templates::tested_sources() / "kernel_templates/lab/host_allocation.cu"));
  EXPECT_THAT(page, ::testing::HasSubstr(
                        "allocate and free `BYTES` bytes, from the memory pool if `METHOD == \"pool\"` |"));
}

TEST(KernelPages, ListTheStepsOfAHostProgram) {
  const std::string page = kernel_page(kernel_templates::load_kernel_definition(
      kernel_templates::tested_sources() / "examples/host_program/rows.cu"));
  EXPECT_THAT(page, ::testing::HasSubstr("| `PIECES` | `k % STREAMS` | copy `matrix_host` to `matrix`"));
  EXPECT_THAT(page, ::testing::HasSubstr("launch `divide_rows`"));
  EXPECT_THAT(page, ::testing::HasSubstr("Streams: `STREAMS`."));
  EXPECT_THAT(page,
              ::testing::HasSubstr("The steps are submitted as one CUDA graph where `SUBMIT == \"graph\"`."));
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("## Launches")));
}

}  // namespace
}  // namespace warptune::tuner::kernel_pages
