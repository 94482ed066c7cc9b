#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "search/renaming.h"

namespace warptune::bench {

/// A configuration that differs, or cannot be compared.
struct Difference {
  std::string what;
  search::NamedValues problem;        ///< In the new names.
  search::NamedValues configuration;  ///< In the new names.
};

/// What comparing came to, in numbers of configurations and references.
struct Tally {
  std::size_t compared = 0;
  std::size_t same = 0;
  /// Of `same`: the first compiles differed, but further ones of the same texts made the same code.
  std::size_t same_at_times = 0;
  std::size_t more_registers = 0;
  std::size_t more_spills = 0;
  std::size_t failed_in_both = 0;
  std::size_t not_valid = 0;
  std::size_t launched_otherwise = 0;
  std::vector<double> instruction_ratios;  ///< New over old, of those that differ.
  std::vector<double> time_ratios;         ///< New over old.
  std::vector<Difference> differences;
};

/// An old and a new definition for one problem.
class DefinitionPair {
 public:
  /// `problem` in the new names. `renaming` must outlive the pair.
  DefinitionPair(const kernel_templates::KernelDefinition& before,
                 const kernel_templates::KernelDefinition& after, const search::Renaming& renaming,
                 const search::NamedValues& problem, const search::GpuDescription& gpu);

  const kernel_templates::KernelInstance& before() const { return before_; }
  const kernel_templates::KernelInstance& after() const { return after_; }

  void compare_spaces(Tally& tally) const;
  void compare_references(Tally& tally) const;
  /// `configuration` in the old names; with `new_first` the new one is compiled first.
  void compare(const search::NamedValues& configuration, bool new_first, Tally& tally) const;

 private:
  const search::Renaming& renaming_;
  kernel_templates::KernelInstance before_;
  kernel_templates::KernelInstance after_;
};

}  // namespace warptune::bench
