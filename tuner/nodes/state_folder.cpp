#include "tuner/nodes/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kIdDigits = 32;

base::MachineError cannot_write(const fs::path& path) {
  return base::MachineError(
      fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(errno)),
      "choose another folder with --state");
}

bool is_id(std::string_view text) {
  return text.size() == kIdDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// The id that the file has, or a new one.
std::string kept_id(const fs::path& file) {
  if (const std::optional<std::string> text = base::read_own_file(file, 4096)) {
    std::string id(base::trim(*text));
    if (is_id(id)) return id;
  }
  std::string id = base::hash_hex(base::random_bytes(32));
  if (!base::replace_file(file, id + "\n", 0600)) throw cannot_write(file);
  return id;
}

}  // namespace

StateFolder::StateFolder(fs::path folder) : path_(std::move(folder)) {
  for (const fs::path& one : {path_, outbox(), attempts(), bundles()}) {
    if (!base::make_private_folder(one)) throw cannot_write(one);
  }
  const fs::path file = path_ / "lock";
  lock_ = protocol::FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock_.get() < 0) throw cannot_write(file);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw cannot_write(file);
    throw base::InputError(fmt::format(
        "another node uses the folder {}; give each node of this machine its own --state", path_.string()));
  }
  id_ = kept_id(path_ / "node");
}

}  // namespace warptune::tuner::nodes
