// A user's definition with all files that it needs, so that nodes on other machines can run it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::campaigns {

/// The largest sum of the files of a bundle.
constexpr std::uint64_t kMaxBundleBytes = std::uint64_t{64} << 20;

struct DefinitionBundle {
  /// What is signed: JSON text with the kernel's name and hash, the definition's path, and the path and the
  /// digest (BLAKE2b) of each file.
  std::string manifest;
  std::string signature{};  ///< As `ssh-keygen -Y sign` writes it (`bundle_signature.h`). Empty: not signed.
  std::map<std::string, std::string> files;  ///< Contents by path, relative to the definition's folder.
  // What the manifest says:
  std::string kernel;
  std::string kernel_hash;
  std::string definition;  ///< The path of the definition among the files.
};

/// The bundle of a definition, without a signature. Throws `base::InputError` for a definition that needs a
/// file outside of its folder, and for one whose files are larger than `kMaxBundleBytes`.
DefinitionBundle bundle_of(const kernel_templates::KernelDefinition& definition);

/// One compressed text that holds the bundle.
std::string bundle_to_bytes(const DefinitionBundle& bundle);
/// Reads what `bundle_to_bytes` wrote. Throws `base::InputError` if the bytes are damaged, if a path leads
/// out of the bundle, or if a file does not fit its digest in the manifest. The signature is not verified.
DefinitionBundle bundle_from_bytes(std::string_view bytes);

/// Writes the files below `folder`, which must not exist yet or be what this function wrote. Returns the path
/// of the definition. Throws `base::MachineError` if that fails.
std::filesystem::path unpack_bundle(const DefinitionBundle& bundle, const std::filesystem::path& folder);
/// Throws `base::MachineError` unless `folder` has exactly the files of the bundle, with their contents.
void require_unchanged(const DefinitionBundle& bundle, const std::filesystem::path& folder);

}  // namespace warptune::tuner::campaigns
