#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "bench/vendor/rows.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"

namespace warptune::tuner::knowledge {
namespace {

using bench::vendor::read_rows;
using bench::vendor::Row;

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Le;

constexpr const char* kRows = WARPTUNE_SOURCE_FOLDER "/bench/vendor/rows.toml";
constexpr const char* kSweep = WARPTUNE_SOURCE_FOLDER "/bench/vendor/sweep.toml";

class VendorRowsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(VendorRowsOf, NameKernelsProblemsAndParametersThatThereAre) {
  std::set<std::string> names;
  std::set<std::string> kernels;
  for (const Row& row : read_rows(GetParam())) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    kernels.insert(row.kernel);
    const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(row.kernel), row.problem,
                                                    model::fictional_gpu());
    EXPECT_TRUE(instance.arguments(instance.space().values_of(instance.space().at(0)))) << row.name;
    if (row.restrict_to) {
      const model::NamedValues first = instance.space().values_of(instance.space().at(0));
      EXPECT_TRUE(row.restrict_to->evaluate(first)) << row.name;
    }
  }
  // `elementwise` is timed under the names that extend it.
  for (const std::string& kernel : kernel_templates::shipped_kernels())
    EXPECT_TRUE(kernels.contains(kernel) || kernel == "elementwise") << "no row times " << kernel;
}

INSTANTIATE_TEST_SUITE_P(Files, VendorRowsOf, ::testing::Values(kRows, kSweep));

TEST(VendorRows, ComeMostUrgentFirst) {
  const std::vector<Row> rows = read_rows(kRows);
  EXPECT_THAT(rows, Each(Field(&Row::priority, AllOf(Ge(1), Le(3)))));
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const Row& a, const Row& b) { return a.priority < b.priority; }));
}

}  // namespace
}  // namespace warptune::tuner::knowledge
