// The kernel of a CUDA source for which a first definition is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>

#include "kernel_templates/inspection/kernel_signatures.h"

namespace warptune::kernel_templates::inspection {

/// `text` in upper case, as macros and sizes are named.
std::string upper_case(std::string text);

/// A kernel with the text of its source, and the names that a definition of it may use.
class KernelSource {
 public:
  /// `entry` names the kernel; it may be missing if the source has only one. Throws `base::InputError` if the
  /// source has no kernel, none that is called `entry`, or several without `entry`, if it has a description
  /// already, and if the kernel has no parameters.
  KernelSource(const std::filesystem::path& source, const std::optional<std::string>& entry);

  const KernelSignature& kernel() const { return kernel_; }
  const std::filesystem::path& path() const { return path_; }
  std::string file_name() const { return path_.filename().string(); }

  /// The name of a parameter, or `argument_3` if the source gives none.
  std::string parameter_name(std::size_t index) const;
  const std::string& code() const { return code_; }
  /// Whether the source has this identifier.
  bool uses(const std::string& name) const { return names_.contains(name); }
  /// Whether the source writes an array or an index with this number: `[256]`.
  bool has_extent(std::int64_t extent) const;
  /// `name`, extended until the source does not use it.
  std::string unused(std::string name) const;
  /// The macro of the block: one that the source uses without defining it, or else a name that does not occur
  /// in the source.
  std::string block_macro() const;

  /// Throws `base::InputError`: a definition cannot pass the parameter.
  [[noreturn]] void refuse_type(const std::string& name, const std::string& type) const;
  [[noreturn]] void refuse_pointer_to_pointers(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::string code_;
  std::unordered_set<std::string> names_;
  KernelSignature kernel_;
};

}  // namespace warptune::kernel_templates::inspection
