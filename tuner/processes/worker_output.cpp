#include "tuner/processes/worker_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace warptune::tuner::processes {

using protocol::FileDescriptor;

namespace {

constexpr off_t kMaxBytes = 65536;  // Text beyond it is lost.

bool is_plain(char byte) { return byte == '\n' || byte == '\t' || (byte >= ' ' && byte <= '~'); }

}  // namespace

WorkerOutput WorkerOutput::make() {
  FileDescriptor file(::memfd_create("warptune worker output", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // The file cannot grow: a write beyond its end fails, and nothing else happens.
  if (file.get() >= 0 && ::ftruncate(file.get(), kMaxBytes) == 0 &&
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    return {std::move(file), false};
  return {FileDescriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC)), false};
}

WorkerOutput WorkerOutput::of_this_process() {
  const int seals = ::fcntl(STDOUT_FILENO, F_GET_SEALS);  // -1: it is not a file in memory.
  if (seals < 0 || (seals & F_SEAL_GROW) == 0) return {FileDescriptor(), false};
  return {FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)), true};
}

std::string WorkerOutput::take() {
  if (is_of_this_process_) {
    std::fflush(stdout);
    std::clearerr(stdout);  // Clears the error of a write beyond the end.
  }
  // All writers in both processes share one position.
  const off_t printed = ::lseek(descriptor_.get(), 0, SEEK_CUR);
  if (printed <= 0) return "";
  std::string text(static_cast<std::size_t>(std::min<off_t>(printed, kKeptBytes)), '\0');
  const ssize_t count = ::pread(descriptor_.get(), text.data(), text.size(), 0);
  ::lseek(descriptor_.get(), 0, SEEK_SET);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  for (char& byte : text) {
    if (!is_plain(byte)) byte = '?';
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  // A write that does not fit into the file fails. So if half of the file is used, more may have been
  // printed.
  if (printed > static_cast<off_t>(kKeptBytes))
    text += fmt::format("\n... ({}{} bytes)", printed >= kMaxBytes / 2 ? "at least " : "", printed);
  return text;
}

std::string with_printed(const std::string& reason, const std::string& printed) {
  if (printed.empty()) return reason;
  return fmt::format("{}{}printed: {}", reason, reason.empty() ? "" : "\n", printed);
}

}  // namespace warptune::tuner::processes
