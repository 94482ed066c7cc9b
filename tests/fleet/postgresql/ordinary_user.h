// Programs that refuse to run as root, such as PostgreSQL's server, are started as another user.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::fleet::postgresql::testing {

/// Gives a file or folder to the user as whom programs are started. Does nothing unless this process is root.
void give_to_ordinary_user(const std::filesystem::path& path);

/// Starts a program as this user, or as the user postgres (nobody, if there is none) if this process is root.
/// The program ends when this thread ends. What it prints is added to the file `log`.
pid_t start_program(const std::vector<std::string>& arguments, const std::filesystem::path& log);

/// Starts a program in the same way, and waits for it. Throws what it printed if it fails.
void run_program(const std::vector<std::string>& arguments, const std::filesystem::path& log);

}  // namespace warptune::fleet::postgresql::testing
