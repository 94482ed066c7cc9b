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

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  const std::string remedy = "choose a folder that can be written, or make room on the disk";
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  const fs::path beside = path.string() + fmt::format(".tmp{}", ::getpid());
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      const std::string reason = std::strerror(errno);
      fs::remove(beside, error);
      throw MachineError(fmt::format("{}: cannot be written: {}", path.string(), reason), remedy);
    }
  }
  fs::rename(beside, path, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(beside, error);
    throw MachineError(fmt::format("{}: cannot be written: {}", path.string(), reason), remedy);
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
