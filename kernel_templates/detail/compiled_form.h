#pragma once

#include <optional>
#include <string>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::detail {

/// Raised when the bytes below change, or what a request compiles to: older entries are never found then.
constexpr int kCompiledFormVersion = 1;

/// An outcome as the bytes of a cache's file: `wtcompiled`, the XXH3 hash (128 bits, hexadecimal) of the
/// rest, the key, then numbers (8 bytes, host order) and texts (length, bytes); variables stand at the end.
/// The cause of a rejection is not among them: only what is to blame on the candidate is kept.
std::string write_compiled(const std::string& key, const search::Outcome<CompiledKernel>& outcome);

/// Nothing unless the bytes are whole and undamaged and belong to `key`.
std::optional<search::Outcome<CompiledKernel>> read_compiled(const std::string& key,
                                                             const std::string& bytes);

}  // namespace warptune::kernel_templates::detail
