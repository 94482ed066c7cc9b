#include <gtest/gtest.h>

#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tuner/kernel_pages/kernel_page.h"

namespace warptune::tuner::commands {
namespace {

TEST(DocumentCommandTest, WritesTheKernelsPageToStandardOutputOrToAFile) {
  testing::Warptune warptune;
  const std::string kernel = testing::write_toy_kernel(warptune.folder()).string();
  const std::string page = kernel_pages::kernel_page(kernel_templates::load_kernel_definition(kernel));
  const testing::ProgramRun printed = warptune.run({"document", kernel});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(printed.out, page);
  const std::string file = (warptune / "toy.md").string();
  const testing::ProgramRun written = warptune.run({"document", kernel, "-o", file});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(testing::slurp(file), page);
}

}  // namespace
}  // namespace warptune::tuner::commands
