// Files that a command writes must not replace those that it reads.
#pragma once

#include <filesystem>
#include <string>

namespace boost::program_options {
class variables_map;
}

namespace warptune::tuner::commands::outputs {

/// Whether two paths name one file, by links as well. The files need not exist.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Checks the file that the option `name` of a command names for writing. `given` has the options and
/// positional arguments of the command line. Throws as `base::require_writable` does, and
/// `base::InputError` if another option or an argument names the same file, or if the file is a database.
void require_own_file(const std::string& name, const std::filesystem::path& path,
                      const boost::program_options::variables_map& given);

}  // namespace warptune::tuner::commands::outputs
