#include "base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/error.h"

namespace warptune::base {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError("expected a file, found a folder", {path.string(), 0, 0});
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("cannot be read: {}", std::strerror(errno)), {path.string(), 0, 0});
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

namespace {

// False with `errno` set where it cannot.
bool write_bytes(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return static_cast<bool>(out);
}

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw MachineError(fmt::format("{}: cannot be written: {}", path.string(), reason),
                     "choose a folder that can be written, or make room on the disk");
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);  // Of what a link leads to.
  if (fs::is_directory(there))
    throw InputError(fmt::format("{}: expected a file to write, found a folder", path.string()));
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    // A device or a pipe: renaming a file to its name would take it away.
    if (!write_bytes(path, bytes)) refuse(path, std::strerror(errno));
    return;
  }
  const fs::path target = fs::exists(there) ? fs::canonical(path, error) : path;
  if (error && fs::exists(there)) refuse(path, error.message());
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  const fs::path beside = target.string() + fmt::format(".tmp{}", ::getpid());
  if (!write_bytes(beside, bytes)) {
    const std::string reason = std::strerror(errno);
    fs::remove(beside, error);
    refuse(path, reason);
  }
  fs::rename(beside, target, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(beside, error);
    refuse(path, reason);
  }
}

fs::path data_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return fs::path(data) / "warptune";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".local" / "share" / "warptune";
  }
  throw MachineError("no place for the database: neither XDG_DATA_HOME nor HOME is set",
                     "set one, or give --db FILE");
}

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path share_folder() {
  if (const char* share = std::getenv("WARPTUNE_SHARE"); share != nullptr && *share != '\0') return share;
  const fs::path beside = program_folder() / "share" / "warptune";
  return fs::exists(beside) ? beside : program_folder().parent_path() / "share" / "warptune";
}

}  // namespace warptune::base
