#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::db::detail {

/// Whether bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// The text of one or more gzip members. Throws `base::InputError` naming `path` when `bytes` are truncated
/// or damaged.
std::string gunzip(std::string_view bytes, const std::filesystem::path& path);

}  // namespace warptune::db::detail
