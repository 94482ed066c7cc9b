// From machine code back to the lines of a definition's source.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "profiling/hot_lines.h"

namespace warptune::tuner::explaining {

/// Compiles a configuration with line numbers, in a compile worker. `compile_cache` is a folder that keeps
/// the code; with an empty path nothing is kept.
model::Outcome<kernel_templates::CompiledKernel> compile_with_lines(
    const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
    const std::filesystem::path& compile_cache);

/// The texts of source lines. Each file is read once. A #line in a kernel's source may name any file of this
/// machine. So only files that the definition may read are opened.
class SourceTexts {
 public:
  /// `scope` must outlive this object.
  explicit SourceTexts(const kernel_templates::ReadScope& scope) : scope_(scope) {}

  /// The text of a line without the blanks around it. Empty for lines of other files, and of files that
  /// cannot be read.
  std::string text_of(const profiling::SourceLine& line);

 private:
  const kernel_templates::ReadScope& scope_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace warptune::tuner::explaining
