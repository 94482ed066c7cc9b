// The entry, the parameters and the launch of a definition, from a captured launch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/inspection/kernel_source.h"
#include "profiling/captures/captured_launch.h"
#include "tuner/drafting/problem_sizes.h"

namespace warptune::tuner::drafting {

/// Writes the parts of a definition that say what is launched. The block and the arguments of the template
/// become parameters, with the captured ones as the default.
class CapturedLaunchShape {
 public:
  CapturedLaunchShape(const kernel_templates::inspection::KernelSource& source,
                      const profiling::captures::CapturedLaunch& launch);

  /// The entry with placeholders, as `[kernel]` has it.
  const std::string& entry() const { return entry_; }
  /// Entries of `[problem]` for the types that arguments of the template name, one per line.
  std::string type_entries() const;
  /// The entry of `[problem]` for a parameter of the template.
  std::string type_entry(const std::string& template_parameter) const;
  /// The names of all parameters.
  const std::vector<std::string>& names() const { return names_; }
  /// `[parameters]`, `[default]` and `[launch]`. `sizes` explain the grid. `passed` is the key `arguments` of
  /// `[launch]`, or empty.
  std::string sections(ProblemSizes& sizes, const std::string& passed);
  /// Marks the sizes that explain the grid as used. Returns whether they explain its first extent.
  bool explain_grid(ProblemSizes& sizes) const;

 private:
  struct TemplateType {
    std::string parameter;
    std::string entry;
    std::string type;
  };
  void read_template_arguments(const std::vector<std::string>& arguments);
  std::string argument_text(const kernel_templates::inspection::WrittenParameter& parameter,
                            const std::string& argument);
  void name_blocks();
  void add_parameter(const std::string& name, const std::string& values, const std::string& value);
  std::optional<std::string> extent_text(ProblemSizes& sizes, std::size_t dimension) const;
  std::string block_values(bool may_vary) const;
  bool block_may_vary() const;
  std::string grid_text(ProblemSizes& sizes) const;
  std::string further_text(bool block_varies) const;
  bool is_flat() const { return launch_.block[1] == 1 && launch_.block[2] == 1; }

  const kernel_templates::inspection::KernelSource& source_;
  const profiling::captures::CapturedLaunch& launch_;
  std::string entry_;
  std::vector<TemplateType> types_;
  std::vector<std::string> names_;
  std::vector<std::string> blocks_;  ///< The parameter of each dimension of the block; empty for 1 thread.
  std::string block_of_template_;    ///< The argument of the template that has the threads of a block.
  std::string parameters_;
  std::string defaults_;
};

}  // namespace warptune::tuner::drafting
