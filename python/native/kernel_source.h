// The kernel that a Python program names in a call.
#pragma once

#include <string>
#include <vector>

#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::python::native {

/// A kernel, its problem, and what its definition may do.
struct KernelSource {
  std::string kernel;                 ///< A shipped name, or the path of a definition or a recording.
  std::vector<std::string> readable;  ///< Folders that the definition may read besides its own.
  /// The user trusts the definition's author: it may read every file that it names, nvcc may compile it, and
  /// a check runs its code on the CPU.
  bool trusted = false;
  model::NamedValues sizes;  ///< Entries of the problem that replace the definition's.

  /// Throws `base::InputError` if one of `readable` is not a folder.
  kernel_templates::Permissions permissions() const;
};

/// Reads `cold`, `warm` or `unknown`. Throws `base::InputError` for any other text.
model::CacheState cache_state_of(const std::string& text);

}  // namespace warptune::python::native
