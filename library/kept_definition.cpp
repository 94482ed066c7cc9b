#include "library/kept_definition.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace warptune::library {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26;

[[noreturn]] void refuse(const fs::path& path) {
  throw base::MachineError(
      fmt::format("{}: the definition cannot be written: {}", path.string(), std::strerror(errno)),
      "open the library with a database in a folder that can be written");
}

// The description becomes the first comment of the file, as in definitions that people write.
std::string whole_text(const std::optional<std::string>& description, const std::string& source) {
  if (!description) return source;
  if (description->find("*/") != std::string::npos)
    throw base::InputError("the TOML of a definition cannot contain */, because it becomes a comment");
  return fmt::format("/* warptune\n{}\n*/\n{}", *description, source);
}

}  // namespace

KeptDefinition keep_definition(const fs::path& folder, const std::optional<std::string>& description,
                               const std::string& source) {
  const std::string text = whole_text(description, source);
  if (text.size() > kMaxBytes) throw base::InputError("the text of a definition is larger than 64 MiB");
  const fs::path own = folder / base::hash_hex(text);
  const fs::path path = own / "kernel.cu";
  if (base::read_own_file(path, kMaxBytes) == text) return {path, false};
  constexpr unsigned kForThisUser = 0600;
  if (!base::make_private_folder(own) || !base::replace_file(path, text, kForThisUser)) refuse(path);
  return {path, true};
}

}  // namespace warptune::library
