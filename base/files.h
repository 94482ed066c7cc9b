#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct stat;

namespace warptune::base {

/// Returns the content of a file. Throws `InputError` with the file's name and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Throws `InputError` if the folder in which `path` lies does not exist. It is for paths that users give: a
/// missing folder is usually a typing error, so it is not created.
void require_folder_of(const std::filesystem::path& path);

/// Throws what `write_file_atomically` would throw if `path` is a folder, lies in a missing folder, or cannot
/// be written because a permission is missing. It is for work that takes long before it writes. For a moment
/// there is a temporary file in the folder. Devices and pipes are not looked at.
void require_writable(const std::filesystem::path& path);

/// Writes a temporary file in the target's folder and renames it, so that a reader sees either the old or the
/// new content. Follows links, and writes into devices and pipes directly. Throws `InputError` if `path` is a
/// folder or lies in a missing folder, and `MachineError` with the system's reason for any other failure.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// The step of `write_file_atomically` that replaces the file. Writes a file with an unpredictable name into
/// the folder of `path`, gives it the permissions `mode` and renames it to `path`. Creates no folder. A link
/// at `path` is replaced and not followed. On failure it returns false, sets `errno` and removes the
/// temporary file.
bool replace_file(const std::filesystem::path& path, std::string_view bytes, unsigned mode);

/// Creates a folder and its missing parents for this user only (mode 0700), whatever the umask is. Existing
/// folders are not changed. On failure it returns false and sets `errno`.
bool make_private_folder(const std::filesystem::path& path);

/// Creates an empty file for this user only (mode 0600), whatever the umask is. An existing file is not
/// changed. On failure it returns false and sets `errno`.
bool make_private_file(const std::filesystem::path& path);

/// Returns the content of a regular file that belongs to this user and has at most `max_bytes` bytes.
/// Returns std::nullopt for a link, a pipe, a device, another user's file or a larger file, and when the file
/// cannot be read. If `status` is not null, it receives the file's status at the time of reading.
std::optional<std::string> read_own_file(const std::filesystem::path& path, std::uint64_t max_bytes,
                                         struct stat* status = nullptr);

/// Returns `$XDG_DATA_HOME/warptune`, or `$HOME/.local/share/warptune` when the first variable is not set.
/// Throws `MachineError` when neither is set.
std::filesystem::path data_folder();

/// Returns `$XDG_CACHE_HOME/warptune`, or `$HOME/.cache/warptune` when the first variable is not set. Empty
/// when neither is set.
std::filesystem::path cache_folder();

/// The folder of the running program, from `/proc/self/exe`.
std::filesystem::path program_folder();

/// The folder of the shipped files: `$WARPTUNE_SHARE`, else `share/warptune` beside the program or at most
/// two folders above. In a program that uses libwarptune, the library's folder takes the place of the
/// program's. Returns the path even if the folder is missing.
std::filesystem::path share_folder();

}  // namespace warptune::base
