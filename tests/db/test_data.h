#pragma once

#include <filesystem>
#include <string>

#include "db/header_export.h"
#include "db/store.h"

namespace warptune::db::testing {

/// A folder of its own that goes when the test ends.
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

/// H200-like; other GPUs differ in the arguments.
search::GpuDescription gpu(int major = 9, int minor = 0, int sm_count = 132,
                           const std::string& name = "NVIDIA H200");
search::Subject subject(search::NamedValues problem = {{"N", std::int64_t{4096}},
                                                       {"dtype", std::string("f32")}},
                        search::GpuDescription gpu = testing::gpu());
Session session(const search::Subject& subject = testing::subject());
search::NamedValues configuration(std::int64_t block, bool stride = false, const std::string& load = "ldg");
search::Measurement measured(const search::NamedValues& configuration, double median_ns);
search::Measurement failed(const search::NamedValues& configuration, search::Status status,
                           const std::string& reason);
Winner winner(const search::Subject& subject, const search::NamedValues& configuration, double median_ns);

/// A kernel with parameters of all types, constraints over all names, and no winners.
ExportInput vector_add();

std::string slurp(const std::filesystem::path& path);
/// The text of a zstd-compressed file.
std::string unpacked(const std::filesystem::path& path);
std::string gzipped(const std::string& text);
void spill(const std::filesystem::path& path, const std::string& bytes);

}  // namespace warptune::db::testing
