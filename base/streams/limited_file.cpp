#include "base/streams/limited_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.h"

namespace warptune::base::streams {

std::string read_limited_file(const std::filesystem::path& path, std::uint64_t max_bytes,
                              std::string_view what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError("expected a file, found a folder", {path.string(), 0, 0});
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("cannot be read: {}", std::strerror(errno)), {path.string(), 0, 0});
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  std::string text;
  while (in && text.size() <= max_bytes) {
    const std::size_t size = text.size();
    text.resize(size + std::min(kBlock, max_bytes + 1 - size));
    in.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() <= max_bytes) return text;
  throw InputError(fmt::format("is larger than {} MiB, the limit of {}", max_bytes >> 20, what),
                   {path.string(), 0, 0});
}

}  // namespace warptune::base::streams
