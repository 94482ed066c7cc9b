#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "tests/tuner/session_data.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::workers::warm {

/// A user with a runtime folder of its own, who wants warm workers. No pool outlives a test.
class WarmWorkers : public ::testing::Test {
 protected:
  WarmWorkers();
  using Outcome = model::Outcome<kernel_templates::CompiledKernel>;

  void SetUp() override;
  void TearDown() override;

  std::filesystem::path runtime() const { return folder_ / "run"; }
  /// The only pool of the user; -1 if there is none.
  static pid_t pool();
  /// The compile workers of the pool.
  static std::vector<pid_t> workers();
  /// Waits until `holds`, at most 20 s.
  static bool soon(const std::function<bool()>& holds);
  /// A session of a definition, with a number of workers.
  static compiling::CompilePool session(const std::string& definition, std::size_t workers = 1,
                                        std::uint64_t memory_bytes = 0) {
    return compiling::CompilePool(workers, std::chrono::seconds(60), {}, memory_bytes, definition);
  }

  /// Everything of an outcome but its time.
  static std::string text_of(const Outcome& outcome);
  /// What a session of a definition gets for a program.
  static Outcome session_outcome(const std::string& definition,
                                 const kernel_templates::CompileRequest& request,
                                 std::uint64_t memory_bytes = 0);
  static std::string compile(const std::string& definition, const kernel_templates::CompileRequest& request) {
    return text_of(session_outcome(definition, request));
  }

  static kernel_templates::CompileRequest program(const std::string& body, const std::string& before = "");
  /// Takes NVRTC minutes.
  static kernel_templates::CompileRequest endless();

  testing::TemporaryFolder folder_;
  testing::ScopedVariable program_;  ///< The built program is the worker's.
  testing::ScopedVariable runtime_folder_{"XDG_RUNTIME_DIR", (folder_ / "run").string()};
  testing::ScopedVariable cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
  testing::ScopedVariable scratch_{"TMPDIR", (folder_ / "tmp").string()};
  testing::ScopedVariable keep_{"WARPTUNE_WARM_WORKERS", "30"};
};

}  // namespace warptune::tuner::workers::warm
