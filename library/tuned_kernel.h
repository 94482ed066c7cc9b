#pragma once

#include <span>
#include <string>

#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/kernel_instance.h"
#include "library/include/warptune.h"
#include "library/selection.h"
#include "library/selection_table.h"
#include "model/gpu_description.h"
#include "tuner/knowledge/known_answer.h"

namespace warptune::library {

class OpenLibrary;

/// A kernel definition on one GPU, with the rows that the database had when this kernel was opened.
class TunedKernel {
 public:
  /// `ordinal` is -1 if the GPU was given by its name. Then code cannot be loaded, even if this machine has
  /// such a GPU. `library` must outlive this object.
  TunedKernel(OpenLibrary& library, std::string name, kernel_templates::KernelDefinition definition,
              model::GpuDescription gpu, int ordinal, tuner::knowledge::AnswerSource source);

  const kernel_templates::KernelDefinition& definition() const { return definition_; }
  const model::GpuDescription& gpu() const { return gpu_; }
  int ordinal() const { return ordinal_; }
  OpenLibrary& library() const { return library_; }

  /// Returns the earlier selection for these values, or null if there is none. Takes no lock and writes
  /// nothing.
  const Selection* find(std::span<const warptune_value> values) const noexcept { return table_.find(values); }
  /// Selects a configuration. `values` are those of the problem's entries, in order. Throws
  /// `base::InputError` for values that the problem cannot have, and `base::WorkError` if no configuration
  /// can run.
  const Selection* select(std::span<const warptune_value> values);

  /// The definition with a problem and the GPU. Entries that `problem` lacks have the definition's values.
  kernel_templates::KernelInstance instance(const model::NamedValues& problem) const;

 private:
  OpenLibrary& library_;
  std::string name_;  ///< As the program named it.
  kernel_templates::KernelDefinition definition_;
  model::GpuDescription gpu_;
  int ordinal_;
  tuner::knowledge::AnswerSource source_;
  SelectionTable table_;
};

}  // namespace warptune::library
