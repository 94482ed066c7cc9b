#include "db/recordings/gzip_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"

namespace warptune::db::recordings {

namespace {

constexpr std::size_t kUnpackedPiece = std::size_t{1} << 18;
constexpr int kGzipWindow = 15 + 16;  // zlib.h: 15 is the largest window; adding 16 expects a gzip header.

// A decompression stream that the destructor closes.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw base::InternalError("inflateInit2 failed");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

void gunzip(std::string_view bytes, const std::filesystem::path& path, const TextSink& take) {
  const auto fail = [&](const std::string& found) {
    throw base::InputError("expected a complete gzip file, found " + found, {path.string(), 0, 0});
  };
  if (bytes.size() > std::numeric_limits<uInt>::max()) fail("one of 4 GiB or more");
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::vector<Bytef> input(bytes.begin(), bytes.end());
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  std::string piece(kUnpackedPiece, '\0');
  int code = Z_OK;
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    code = inflate(&stream, Z_NO_FLUSH);
    take(std::string_view(piece).substr(0, piece.size() - stream.avail_out));
    if (code == Z_STREAM_END) {
      if (stream.avail_in == 0) return;
      if (inflateReset(&stream) != Z_OK) fail("one with a damaged second member");
      continue;
    }
    if (code == Z_BUF_ERROR || (code == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)) {
      fail(fmt::format("one cut off after {} bytes", bytes.size()));
    }
    if (code != Z_OK) {
      fail(fmt::format("one with damaged bytes near {}: {}", stream.total_in,
                       stream.msg == nullptr ? "no reason given" : stream.msg));
    }
  }
}

}  // namespace warptune::db::recordings
