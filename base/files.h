#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct stat;

namespace warptune::base {

/// The whole file. Throws `InputError` naming the file and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the target, then renames: readers see the old or the new text. Makes folders; follows links,
/// writes into devices and pipes. Throws `InputError` for a folder, else `MachineError` with the reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The step of it that replaces: writes a file of a name that nobody can know before into the folder of
/// `path`, gives it `mode` and renames it. Makes no folder; a link at `path` is replaced, not followed. False
/// with `errno` set, and nothing left behind, where it cannot.
bool replace_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode);

/// Makes a folder and those above it that are missing, for this user alone (0700) whatever the umask. What is
/// there stays as it is. False with `errno` set where it cannot.
bool make_private_folder(const std::filesystem::path& path);

/// Makes an empty file for this user alone (0600) whatever the umask, where there is none. False with `errno`
/// set where it cannot.
bool make_private_file(const std::filesystem::path& path);

/// The whole of a regular file of this user (no link, pipe or device, no other's file) of at most
/// `max_bytes`; nothing where it is none or cannot be read. `status`, where given, is the file's as it was
/// read.
std::optional<std::string> read_own_file(const std::filesystem::path& path, std::uint64_t max_bytes,
                                         struct stat* status = nullptr);

/// `$XDG_DATA_HOME/warptune`, else `$HOME/.local/share/warptune`; throws `MachineError` when neither is set.
std::filesystem::path data_folder();

/// The folder of the running program, by `/proc/self/exe`.
std::filesystem::path program_folder();

/// Where shipped files lie: `$WARPTUNE_SHARE`, else `share/warptune` beside the program or one folder up.
/// Returns the path even when it is missing.
std::filesystem::path share_folder();

}  // namespace warptune::base
