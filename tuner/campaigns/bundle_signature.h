// Signatures of bundles, made and verified by ssh-keygen.
#pragma once

#include <filesystem>

#include "tuner/campaigns/definition_bundle.h"

namespace warptune::tuner::campaigns {

/// Signs the manifest with an SSH key (`ssh-keygen -Y sign -n warptune`). `key` is a private key, or a public
/// one whose private key an agent has. Throws `base::InputError` with the text of ssh-keygen if it refuses
/// the key. Throws `base::MachineError` if ssh-keygen cannot be started.
void sign_bundle(DefinitionBundle& bundle, const std::filesystem::path& key);

/// Throws `base::InputError` unless `path` is a file of allowed signers (ssh-keygen(1)) that can be read. It
/// must be a regular file, because ssh-keygen reads it several times, and not larger than 1 MiB.
void require_signers_file(const std::filesystem::path& path);

/// Throws `base::InputError` unless the bundle is signed by a key that the file `allowed_signers` lists for
/// the namespace `warptune` (ssh-keygen(1), "ALLOWED SIGNERS"). Its message says what is wrong in one
/// sentence. Throws `base::MachineError` if ssh-keygen cannot be started.
void require_signature(const DefinitionBundle& bundle, const std::filesystem::path& allowed_signers);

}  // namespace warptune::tuner::campaigns
