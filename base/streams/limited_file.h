#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::base::streams {

/// Returns the content of a file, like `read_file`, but reads no more than `max_bytes`. It is for files that
/// a user names, which may be devices without an end. Throws `InputError` for a larger file; `what` says in
/// the message whose limit that is, for example "a campaign file".
std::string read_limited_file(const std::filesystem::path& path, std::uint64_t max_bytes,
                              std::string_view what);

}  // namespace warptune::base::streams
