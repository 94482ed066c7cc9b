#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/given_contents.h"
#include "kernel_templates/kernel_instance.h"
#include "library/tuning/memory_file.h"

namespace warptune::library::tuning {

/// The contents of one argument, in the memory of a program.
struct ProgramBuffer {
  std::string argument;
  kernel_templates::ContentsRole role = kernel_templates::ContentsRole::kFirst;
  std::string type;  ///< As in definitions: "f32".
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  std::optional<int> device{};  ///< The ordinal of the GPU that has the memory. Without it, the host has it.
};

/// What an output holds after a launch.
struct ProgramResult {
  std::string argument;
  std::string type;  ///< As in definitions: "f32".
  std::vector<std::byte> bytes;
};

/// Returns why the results are wrong, or std::nullopt if they are right. The reason may be empty. Throws
/// `base::WorkError` if the program wants the tuning to end.
using ProgramCheck = std::function<std::optional<std::string>(const std::vector<ProgramResult>& results)>;

/// The buffers and the check of a program, as a tuning needs them.
class ProgramData {
 public:
  ProgramData() = default;
  ProgramData(const ProgramData&) = delete;
  ProgramData& operator=(const ProgramData&) = delete;

  /// Copies the contents. The caller must have waited for everything that writes them. Throws
  /// `base::MachineError` if a call of the driver fails or there is too little memory.
  void add(const ProgramBuffer& buffer);
  /// Lets `check` decide whether outputs are right. Throws `base::InputError` if the kernel has no output.
  void ask(ProgramCheck check, const kernel_templates::KernelInstance& instance);

  const std::vector<kernel_templates::GivenContents>& contents() const { return contents_; }
  bool has_check() const { return static_cast<bool>(check_); }
  /// Asks the program about the results. Returns why they are wrong, or std::nullopt. Throws what the check
  /// throws, and `base::MachineError` if there is too little memory.
  std::optional<std::string> judge() const;

 private:
  void keep(std::string argument, kernel_templates::ContentsRole role, std::string type, MemoryFile file);

  ProgramCheck check_;
  std::vector<MemoryFile> files_;  ///< One for each of `contents_`.
  std::vector<kernel_templates::GivenContents> contents_;
};

}  // namespace warptune::library::tuning
