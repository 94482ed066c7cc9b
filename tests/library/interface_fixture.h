// A program that uses libwarptune.so, with a database of its own and a fake driver.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "library/include/warptune.h"
#include "model/gpu_description.h"
#include "tests/db/test_data.h"
#include "tests/library/values.h"

namespace warptune::library {

/// The kernel of tests/library/data.
std::filesystem::path scaled_sum();

/// The fake driver shows a GPU like an H200. The database has rows of `scaled_sum` for it.
class InterfaceTest : public ::testing::Test {
 protected:
  InterfaceTest();
  ~InterfaceTest() override;

  /// Stores a measured configuration of `scaled_sum` for N elements.
  void store(std::int64_t n, std::int64_t block, double median_ns, const model::GpuDescription& gpu,
             const std::string& hash = "");
  /// Stores that the newest row for N elements, `block` and `gpu_` was confirmed on new inputs.
  void confirm(std::int64_t n, std::int64_t block);
  /// Writes a snapshot of the database, and returns its path. `kernel` is the name that its rows get; empty:
  /// their own.
  std::string write_snapshot(const std::string& name, const std::string& kernel = "");

  /// Opens a library, which the test closes. The options get the database unless they have a snapshot.
  warptune_library* open(warptune_open_options options = {});
  /// The same with the default database, for look-ups only. `gpu` may be null.
  warptune_library* open_default(const char* gpu = nullptr);
  warptune_kernel* kernel(warptune_library* library);
  const warptune_selection* select(warptune_kernel* kernel, std::int64_t n);
  static warptune_selection_info info(const warptune_selection* selection);
  warptune_code* load(const warptune_selection* selection, bool in_background = false);
  /// The right arguments for N elements of f32.
  static std::vector<warptune_argument> arguments(std::uint64_t n);
  static warptune_status launch(const warptune_code* code, const std::vector<warptune_argument>& arguments,
                                std::uint64_t workspace_bytes = 1 << 20);

  db::testing::TemporaryFolder folder_;
  std::string database_;
  std::string cache_;
  model::GpuDescription gpu_;
  kernel_templates::KernelDefinition definition_;
  std::vector<warptune_library*> opened_;
  std::vector<warptune_code*> loaded_;

 private:
  warptune_library* opened(warptune_open_options options);
};

}  // namespace warptune::library
