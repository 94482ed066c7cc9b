#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/store.h"

namespace warptune::db {

/// The winners of kernels in one file, which `warptune export --format snapshot` writes. A database changes
/// with every session, but a snapshot never changes. Two snapshots with the same hash give the same answers.
class WinnerSnapshot {
 public:
  /// The version of the format. Files of another version are refused.
  static constexpr int kVersion = 1;

  /// Reads the file and checks its hash. Winners are parsed when they are asked for. Throws
  /// `base::InputError` if the file cannot be read, has another version, or does not fit its hash.
  explicit WinnerSnapshot(const std::filesystem::path& path);

  /// The hash of everything that follows the first line: 32 hexadecimal digits.
  const std::string& hash() const { return hash_; }
  /// The winners of a kernel, with workload, configuration, median times, resources, and the number of
  /// launches that confirmed them. An empty `kernel_hash` selects all versions. Throws `base::InputError` if
  /// a row is malformed.
  std::vector<Winner> winners(const std::string& kernel, const std::string& kernel_hash) const;
  /// The GPUs of all winners, each once.
  std::vector<model::GpuDescription> gpus() const;

 private:
  std::vector<Winner> winners_in(std::pair<std::size_t, std::size_t> line) const;

  std::filesystem::path path_;
  std::string text_;
  std::string hash_;
  /// Maps the hash of a kernel's name to the positions in `text_` at which its line begins and ends.
  std::multimap<std::string, std::pair<std::size_t, std::size_t>> lines_;
};

}  // namespace warptune::db
