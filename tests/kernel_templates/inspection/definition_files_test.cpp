#include "kernel_templates/inspection/definition_files.h"

#include <gtest/gtest.h>

#include "kernel_templates/library.h"

namespace warptune::kernel_templates::inspection {
namespace {

// Those of a user's definition are tested by tests/tuner/campaigns/definition_bundle_test.cpp.
TEST(DefinitionFiles, AShippedKernelNeedsNoFilesOfAUser) {
  EXPECT_TRUE(files_of(load_kernel("sgemm")).empty());
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection
