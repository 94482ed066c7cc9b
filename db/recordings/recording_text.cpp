#include "db/recordings/recording_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <variant>

#include "base/environment.h"
#include "base/error.h"

namespace warptune::db::recordings {

namespace fs = std::filesystem;

namespace {

constexpr base::Variable kVariable = base::Variable::kRecordingMib;
constexpr std::size_t kDefaultMib = 128;
constexpr std::size_t kMaxMib = 1048576;
constexpr std::size_t kMib = 1048576;
constexpr std::size_t kPiece = 262144;

[[noreturn]] void refuse_large(const fs::path& path, const char* what) {
  throw base::InputError(
      fmt::format(
          "expected a recording of at most {} MiB, found more{}; the environment variable {}=N allows N MiB",
          max_recording_bytes() / kMib, what, base::name_of(kVariable)),
      {path.string(), 0, 0});
}

// An estimate of the memory that a row takes. Each counter and each parameter has a name and a value.
std::size_t memory_of(const model::Measurement& row) {
  constexpr std::size_t kNode = 96;  // Bytes for one name and one value, without a long text.
  std::size_t bytes = sizeof row + row.reason.size() + sizeof(double) * row.samples_ns.size();
  for (const auto& [name, value] : row.counters) bytes += kNode + name.size();
  for (const auto& [name, value] : row.configuration) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += kNode + name.size() + (text == nullptr ? 0 : text->size());
  }
  return bytes;
}

}  // namespace

std::size_t max_recording_bytes() {
  const std::string text = base::environment_text(kVariable);
  if (text.empty()) return kDefaultMib * kMib;
  const char* const end = text.data() + text.size();
  std::size_t mib = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, mib);
  if (error != std::errc() || stop != end || mib < 1 || mib > kMaxMib)
    throw base::InputError(
        fmt::format("{}={}: expected a number from 1 to {}", base::name_of(kVariable), text, kMaxMib));
  return mib * kMib;
}

std::string read_recording_bytes(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw base::InputError("expected a recording, found a folder", {path.string(), 0, 0});
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw base::InputError(fmt::format("the file cannot be read: {}", std::strerror(errno)),
                           {path.string(), 0, 0});
  const std::size_t maximum = max_recording_bytes();
  std::string bytes;
  std::string piece(kPiece, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    bytes.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > maximum) refuse_large(path, "");
  }
  return bytes;
}

base::streams::TextSink bounded(const fs::path& path, base::streams::TextSink take) {
  return [path, take = std::move(take), left = max_recording_bytes()](std::string_view piece) mutable {
    if (piece.size() > left) refuse_large(path, " once it is unpacked");
    left -= piece.size();
    take(piece);
  };
}

void RowMemory::add(const model::Measurement& row) {
  bytes_ += memory_of(row);
  if (bytes_ > limit_) {
    throw base::InputError(fmt::format("expected rows that take at most {} MiB of memory, found more; the "
                                       "environment variable {}=N allows "
                                       "16 times N MiB",
                                       limit_ / kMib, base::name_of(kVariable)),
                           {path_.string(), 0, 0});
  }
}

}  // namespace warptune::db::recordings
