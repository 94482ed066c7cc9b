// A bundle is a CBOR map in a zstd frame: the manifest as text, its signature, and the contents of the files.
//
// The signature covers the manifest only. The manifest has a digest of each file, so that nobody can change a
// file without the key. These digests must be hard to forge, therefore they are BLAKE2b and not XXH3. Their
// key is public: it only separates them from digests for other purposes.
#include "tuner/campaigns/definition_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/streams/limited_file.h"
#include "base/streams/zstd_text.h"
#include "kernel_templates/inspection/definition_files.h"

namespace warptune::tuner::campaigns {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kBundleLimit = "a definition that is sent to other machines";
constexpr const char* kFormat = "warptune definition bundle 1";
// Text of a bundle: paths and digests take little beside the files.
constexpr std::uint64_t kMaxTextBytes = kMaxBundleBytes + (std::uint64_t{4} << 20);

std::string digest_of(std::string_view bytes) { return base::keyed_hash_hex(bytes, kFormat); }

// Whether a path of a bundle stays within the folder into which the bundle is unpacked, and has one form
// only.
bool is_inner_path(const std::string& text) {
  const fs::path path(text);
  if (text.empty() || path.is_absolute() || text.find('\0') != std::string::npos) return false;
  if (path.lexically_normal().generic_string() != text) return false;
  return std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part == ".." || part == "." || part.empty(); });
}

base::InputError damaged(const std::string& why) {
  return base::InputError(fmt::format("the bundle of a definition is damaged: {}", why));
}

void read_manifest(DefinitionBundle& bundle) {
  const json manifest = json::parse(bundle.manifest);
  if (manifest.at("format") != kFormat) throw damaged("its manifest has another format");
  bundle.kernel = manifest.at("kernel");
  bundle.kernel_hash = manifest.at("kernel_hash");
  bundle.definition = manifest.at("definition");
  const json& digests = manifest.at("files");
  if (digests.size() != bundle.files.size() || !bundle.files.contains(bundle.definition))
    throw damaged("its files are not those of the manifest");
  for (const auto& [path, bytes] : bundle.files) {
    if (!is_inner_path(path)) throw damaged(fmt::format("the path '{}' leads out of it", path));
    const auto known = digests.find(path);
    if (known == digests.end() || *known != digest_of(bytes))
      throw damaged(fmt::format("{} is not what the manifest says", path));
  }
}

base::MachineError changed(const fs::path& file, std::string_view what) {
  return base::MachineError(
      fmt::format("the unpacked definition was changed under way: {} {}", file.string(), what),
      "remove the folder, and let only the node's own user write into it");
}

// Creates the folder of a file of a bundle.
void make_folder(const fs::path& folder) {
  if (base::make_private_folder(folder)) return;
  throw base::MachineError(
      fmt::format("cannot create {}: {}", folder.string(), std::generic_category().message(errno)), "");
}

}  // namespace

DefinitionBundle bundle_of(const kernel_templates::KernelDefinition& definition) {
  DefinitionBundle bundle;
  bundle.kernel = definition.name;
  bundle.kernel_hash = definition.hash;
  const fs::path folder = fs::absolute(definition.path).lexically_normal().parent_path();
  const fs::path real = fs::canonical(folder);
  std::uint64_t total = 0;
  json digests = json::object();
  for (const fs::path& file : kernel_templates::inspection::files_of(definition)) {
    // Whatever links the path has, the file itself must be in the folder.
    const std::string inner = file.lexically_relative(folder).generic_string();
    const std::string target = fs::canonical(file).lexically_relative(real).generic_string();
    if (!is_inner_path(inner) || !is_inner_path(target)) {
      throw base::InputError(fmt::format(
          "{} needs {}, which is outside of its folder; a definition for other machines must have all its "
          "files in its own folder or below",
          definition.path.string(), file.string()));
    }
    std::string bytes = base::streams::read_limited_file(file, kMaxBundleBytes, kBundleLimit);
    total += bytes.size();
    if (total > kMaxBundleBytes) {
      throw base::InputError(fmt::format("the files of {} are larger than {} MiB together, the limit of {}",
                                         definition.path.string(), kMaxBundleBytes >> 20, kBundleLimit));
    }
    digests[inner] = digest_of(bytes);
    bundle.files[inner] = std::move(bytes);
  }
  bundle.definition = definition.path.filename().generic_string();
  bundle.manifest = json{
      {"format", kFormat},
      {"kernel", bundle.kernel},
      {"kernel_hash", bundle.kernel_hash},
      {"definition", bundle.definition},
      {"files",
       digests}}.dump(1);
  return bundle;
}

std::string bundle_to_bytes(const DefinitionBundle& bundle) {
  json files = json::object();
  for (const auto& [path, bytes] : bundle.files) files[path] = json::binary({bytes.begin(), bytes.end()});
  const std::vector<std::uint8_t> cbor = json::to_cbor(
      json{{"manifest", bundle.manifest}, {"signature", bundle.signature}, {"files", std::move(files)}});
  return base::streams::zstd_compress({reinterpret_cast<const char*>(cbor.data()), cbor.size()});
}

DefinitionBundle bundle_from_bytes(std::string_view bytes) {
  std::string text;
  base::streams::zstd_decompress(bytes, "the store's file", "bundle", [&](std::string_view piece) {
    if (text.size() + piece.size() > kMaxTextBytes) throw damaged("it is too large");
    text += piece;
  });
  DefinitionBundle bundle;
  try {
    const json held = json::from_cbor(text);
    bundle.manifest = held.at("manifest");
    bundle.signature = held.at("signature");
    for (const auto& [path, content] : held.at("files").items()) {
      const json::binary_t& binary = content.get_binary();
      bundle.files[path] = std::string(binary.begin(), binary.end());
    }
    read_manifest(bundle);
  } catch (const json::exception&) {
    throw damaged("it has another form");
  }
  return bundle;
}

fs::path unpack_bundle(const DefinitionBundle& bundle, const fs::path& folder) {
  make_folder(folder);
  for (const auto& [path, bytes] : bundle.files) {
    make_folder((folder / path).parent_path());
    if (!base::replace_file(folder / path, bytes, 0600)) {
      throw base::MachineError(fmt::format("cannot write {}: {}", (folder / path).string(),
                                           std::generic_category().message(errno)),
                               "");
    }
  }
  require_unchanged(bundle, folder);
  return folder / bundle.definition;
}

void require_unchanged(const DefinitionBundle& bundle, const fs::path& folder) {
  std::set<std::string> missing;
  for (const auto& [path, bytes] : bundle.files) missing.insert(path);
  std::error_code error;
  for (fs::recursive_directory_iterator each(folder, error), end; each != end; each.increment(error)) {
    const fs::path& file = each->path();
    if (each->is_symlink(error)) throw changed(file, "is a link");
    if (each->is_directory(error)) continue;
    const std::string path = file.lexically_relative(folder).generic_string();
    const auto known = bundle.files.find(path);
    if (known == bundle.files.end()) throw changed(file, "does not belong to it");
    const std::optional<std::string> bytes = base::read_own_file(file, kMaxBundleBytes);
    if (!bytes || *bytes != known->second) throw changed(file, "has another content");
    missing.erase(path);
  }
  if (error || !missing.empty())
    throw changed(missing.empty() ? folder : folder / *missing.begin(), "cannot be read");
}

}  // namespace warptune::tuner::campaigns
