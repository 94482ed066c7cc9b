#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// Increased when the format below changes, or the result of compiling a request. Older entries are not found
/// any more then.
constexpr int kCompiledFileVersion = 1;

/// Writes an outcome as a file of the compile cache. It consists of
/// * `wtkeyed` and the keyed hash of the rest (`base::keyed_hash_hex` with `secret`),
/// * the key,
/// * numbers (8 bytes in the host's order) and texts (length and bytes). The names of the module's
///   `__device__` and `__constant__` variables are at the end.
///
/// The cause of a rejection is not written, because only rejections that the candidate causes are stored.
std::string write_compiled(const std::string& key, const model::Outcome<CompiledKernel>& outcome,
                           const std::string& secret);

/// Reads such a file. Returns std::nullopt unless the bytes are complete, undamaged, written with `secret`
/// and stored under `key`. Earlier releases of warptune wrote files with the same `kCompiledFileVersion`, but
/// without a keyed hash, so anybody can write such a file. It is read, too, and everything except the secret
/// is checked.
std::optional<model::Outcome<CompiledKernel>> read_compiled(const std::string& key, std::string_view bytes,
                                                            const std::string& secret);

/// Whether the bytes have the format of earlier versions: `wtcompiled`, a hash without a secret, then the
/// same rest.
bool is_unkeyed_file(std::string_view bytes);

}  // namespace warptune::kernel_templates::compiling
