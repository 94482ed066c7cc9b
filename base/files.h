#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::base {

/// The whole file. Throws `InputError` naming the file and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the target, then renames: readers see the old or the new text. Makes folders; follows links,
/// writes into devices and pipes. Throws `InputError` for a folder, else `MachineError` with the reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// `$XDG_DATA_HOME/warptune`, else `$HOME/.local/share/warptune`; throws `MachineError` when neither is set.
std::filesystem::path data_folder();

/// The folder of the running program, by `/proc/self/exe`.
std::filesystem::path program_folder();

/// Where shipped files lie: `$WARPTUNE_SHARE`, else `share/warptune` beside the program or one folder up.
/// Returns the path even when it is missing.
std::filesystem::path share_folder();

}  // namespace warptune::base
