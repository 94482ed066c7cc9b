#pragma once

#include <filesystem>
#include <string>

#include "db/header_export.h"
#include "db/store.h"

namespace warptune::db::testing {

/// A new folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A GPU similar to an H200. The arguments make other GPUs.
model::GpuDescription gpu(int major = 9, int minor = 0, int sm_count = 132,
                          const std::string& name = "NVIDIA H200");
model::Workload workload(model::NamedValues problem = {{"N", std::int64_t{4096}},
                                                       {"dtype", std::string("f32")}},
                         model::GpuDescription gpu = testing::gpu());
Session session(const model::Workload& workload = testing::workload());
model::NamedValues configuration(std::int64_t block, bool stride = false, const std::string& load = "ldg");
model::Measurement measured(const model::NamedValues& configuration, double median_ns);
model::Measurement failed(const model::NamedValues& configuration, model::Status status,
                          const std::string& reason);
Winner winner(const model::Workload& workload, const model::NamedValues& configuration, double median_ns);

/// A kernel with parameters of all types, constraints over all names, and no winners.
ExportInput vector_add();

std::string slurp(const std::filesystem::path& path);
/// The text of a zstd-compressed file.
std::string unpacked(const std::filesystem::path& path);
std::string gzipped(const std::string& text);
void spill(const std::filesystem::path& path, const std::string& bytes);

}  // namespace warptune::db::testing
