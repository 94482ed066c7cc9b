#pragma once

#include <filesystem>

namespace warptune::tuner::workers {

/// The file with the answer to the request in a file.
std::filesystem::path answer_file(const std::filesystem::path& request);

/// Answers the message `LaunchOnce` in the file `request`, and writes the answer, or a `Failure`, to
/// `answer_file(request)`. Another program may have started this process, such as compute-sanitizer, so there
/// is no socket. Returns the exit code of the worker. Throws `base::InputError` if the file has no such
/// message, and `base::MachineError` if the answer cannot be written.
int launch_from_file(const std::filesystem::path& request);

}  // namespace warptune::tuner::workers
