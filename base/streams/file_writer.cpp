#include "base/streams/file_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace warptune::base::streams {

namespace fs = std::filesystem;

namespace {

// The permissions that `open` gives to a new file.
unsigned usual_mode() {
  // The umask can only be read by setting it. Another thread may create a file before it is restored, so the
  // value for that moment is strict.
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return 0666U & ~mask;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw MachineError(fmt::format("{}: cannot be written: {}", path.string(), reason),
                     "choose a folder that can be written, or make room on the disk");
}

}  // namespace

FileWriter::FileWriter(const fs::path& path) : path_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);  // `fs::status` follows links.
  if (fs::is_directory(status))
    throw InputError(fmt::format("{}: expected a file to write, found a folder", path.string()));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A rename would replace the device or the pipe by a file.
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse(path, std::strerror(errno));
    return;
  }
  target_ = fs::exists(status) ? fs::canonical(path, error) : path;
  if (error && fs::exists(status)) refuse(path, error.message());
  require_folder_of(target_);
  beside_ = target_.string() + ".XXXXXX";
  descriptor_ = ::mkostemp(beside_.data(), O_CLOEXEC);
  if (descriptor_ < 0) refuse(path, std::strerror(errno));
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void FileWriter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path_, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void FileWriter::finish() {
  if (!target_.empty() && ::fchmod(descriptor_, usual_mode()) != 0) refuse(path_, std::strerror(errno));
  const int descriptor = descriptor_;
  descriptor_ = -1;
  bool done = ::close(descriptor) == 0;
  if (!target_.empty()) done = done && ::rename(beside_.c_str(), target_.c_str()) == 0;
  if (done) return;
  const int reason = errno;
  if (!beside_.empty()) ::unlink(beside_.c_str());
  refuse(path_, std::strerror(reason));
}

}  // namespace warptune::base::streams
