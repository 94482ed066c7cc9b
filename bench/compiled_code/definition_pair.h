#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/renaming.h"

namespace warptune::bench {

/// A configuration that differs or cannot be compared. Names and values are those of the new definition.
struct Difference {
  std::string what;
  model::NamedValues problem;
  model::NamedValues configuration;
};

/// The results of comparisons, as numbers of configurations and references.
struct Tally {
  std::size_t compared = 0;
  std::size_t same = 0;
  /// The part of `same` for which the first compiles differed, but further compiles gave the same code.
  std::size_t sometimes_same = 0;
  std::size_t more_registers = 0;
  std::size_t more_spills = 0;
  std::size_t failed_in_both = 0;
  std::size_t not_valid = 0;
  std::size_t different_launches = 0;
  std::vector<double> instruction_ratios;  ///< New divided by old, for each one that differs.
  std::vector<double> time_ratios;         ///< New divided by old.
  std::vector<Difference> differences;
};

/// An old and a new definition for one problem.
class DefinitionPair {
 public:
  /// `problem` has the names of the new definition. `renaming` must outlive the pair.
  DefinitionPair(const kernel_templates::KernelDefinition& before,
                 const kernel_templates::KernelDefinition& after, const model::Renaming& renaming,
                 const model::NamedValues& problem, const model::GpuDescription& gpu);

  const kernel_templates::KernelInstance& before() const { return before_; }
  const kernel_templates::KernelInstance& after() const { return after_; }

  void compare_spaces(Tally& tally) const;
  void compare_references(Tally& tally) const;
  /// Compiles and compares a configuration with the names of the old definition. `new_first`: the new
  /// definition is compiled first.
  void compare(const model::NamedValues& configuration, bool new_first, Tally& tally) const;

 private:
  const model::Renaming& renaming_;
  kernel_templates::KernelInstance before_;
  kernel_templates::KernelInstance after_;
};

}  // namespace warptune::bench
