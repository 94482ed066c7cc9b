#include "library/asked_problems.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "base/files.h"

namespace warptune::library {

namespace {

// Writes the whole line in one system call, so lines of several processes do not mix.
void append(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const std::string reason = std::strerror(errno);
  if (file >= 0) ::close(file);
  if (!written)
    throw base::MachineError(fmt::format("{} cannot be written: {}", path.string(), reason),
                             "name another file to record problems in");
}

}  // namespace

AskedProblems::AskedProblems(const std::filesystem::path& path) : path_(path) {
  append(path, "");  // Creates the file. Throws if it cannot be written.
  std::istringstream text(base::read_file(path));
  for (std::string line; std::getline(text, line);) lines_.insert(line);
}

void AskedProblems::add(const std::string& line) {
  if (lines_.insert(line).second) append(path_, line + "\n");
}

}  // namespace warptune::library
