#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/given_contents.h"
#include "kernel_templates/kernel_instance.h"
#include "library/include/warptune_tuning.h"
#include "library/tuning/memory_file.h"

namespace warptune::library::tuning {

/// The buffers and the check of a program, as a tuning needs them.
class ProgramData {
 public:
  /// Copies the contents. `ordinal` is the device of buffers in device memory. A recording that answers asks
  /// no check. Throws `base::InputError` for contents that no argument can have, and `base::MachineError` if
  /// the driver or the memory does not suffice.
  ProgramData(const warptune_tuning_options& options, const kernel_templates::KernelDefinition& definition,
              const model::NamedValues& problem, int ordinal);

  const std::vector<kernel_templates::GivenContents>& contents() const { return contents_; }
  bool has_check() const { return check_ != nullptr; }
  /// Asks the program about the results. Returns why they are wrong, or std::nullopt. Throws
  /// `base::WorkError` if the program wants the tuning to end.
  std::optional<std::string> judge() const;

 private:
  void copy(const warptune_contents& one, int ordinal);
  void add_results(const kernel_templates::KernelInstance& instance);

  warptune_check check_;
  void* check_context_;
  std::vector<MemoryFile> files_;  ///< One for each of `contents_`.
  std::vector<kernel_templates::GivenContents> contents_;
};

}  // namespace warptune::library::tuning
