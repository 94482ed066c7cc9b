#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// Raised when the bytes below change, or what a request compiles to: older entries are never found then.
constexpr int kCompiledFormVersion = 1;

/// An outcome as the bytes of a cache's file: `wtkeyed`, the keyed hash (`base::keyed_hash_hex` with
/// `secret`) of the rest, the key, then numbers (8 bytes, host order) and texts (length, bytes); variables
/// stand at the end. The cause of a rejection is not among them: only what is to blame on the candidate is
/// kept.
std::string write_compiled(const std::string& key, const model::Outcome<CompiledKernel>& outcome,
                           const std::string& secret);

/// Nothing unless the bytes are whole and undamaged, were written with `secret` and belong to `key`. Of the
/// form of earlier versions, which anybody can write: nothing unless whole and of `key`.
std::optional<model::Outcome<CompiledKernel>> read_compiled(const std::string& key, std::string_view bytes,
                                                            const std::string& secret);

/// Whether it is the form of earlier versions: `wtcompiled` and a hash without a secret, then the same.
bool is_earlier_form(std::string_view bytes);

}  // namespace warptune::kernel_templates::compiling
