#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace warptune::library::tuning {

/// A file of fixed size in memory (memfd). Through such files a worker gets the buffers of this program, and
/// returns results. The file has no name in any folder, and ends with the process. No process can change its
/// size.
class MemoryFile {
 public:
  /// Throws `base::MachineError` if there is too little memory.
  explicit MemoryFile(std::uint64_t bytes);
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;

  /// A path by which other processes of this user can open it.
  std::filesystem::path path() const;
  std::uint64_t bytes() const { return bytes_; }
  /// Fills the file from `data`, which has as many bytes. Throws `base::MachineError` if there is too little
  /// memory.
  void write(const void* data);
  /// The contents. Throws as `write` does.
  std::vector<std::byte> read() const;

 private:
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace warptune::library::tuning
