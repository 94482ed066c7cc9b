#include "db/claims/process_identity.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/hash.h"

namespace warptune::db::claims {

namespace {

// The running system: it differs after each boot. Empty if it is not known.
std::string system_key() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, boot);
  std::error_code unknown;
  const std::filesystem::path numbers = std::filesystem::read_symlink("/proc/self/ns/pid", unknown);
  return boot.empty() || unknown ? std::string() : base::hash_hex(boot + " " + numbers.string());
}

// The start time of a process in clock ticks since boot, or "ended" if it is a zombie. Empty if it cannot be
// read.
std::string start_of(pid_t process) {
  constexpr int kFieldsBeforeStart = 18;  // From the parent's number on: fields 4 to 21 of proc_pid_stat(5).
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // The name may contain anything.
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return "ended";
  for (int i = 0; i < kFieldsBeforeStart; ++i) fields >> field;
  fields >> field;
  return fields ? field : std::string();
}

}  // namespace

std::string process_identity() {
  const std::string key = system_key();
  const std::string start = start_of(::getpid());
  return key.empty() || start.empty() ? std::string() : fmt::format("{} {} {}", key, ::getpid(), start);
}

bool has_ended(std::string_view identity) {
  std::istringstream fields{std::string(identity)};
  std::string key;
  pid_t process = 0;
  std::string start;
  if (!(fields >> key >> process >> start) || process <= 0 || key != system_key()) return false;
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const std::string found = start_of(process);
  return !found.empty() && found != start;
}

}  // namespace warptune::db::claims
