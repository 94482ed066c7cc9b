#include "base/streams/gzip_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace warptune::base::streams {

namespace {

constexpr std::size_t kUnpackedPiece = std::size_t{1} << 18;
constexpr int kGzipWindow = 15 + 16;  // zlib.h: 15 is the largest window; adding 16 selects the gzip format.
constexpr int kLevel = 6;
constexpr int kMemoryLevel = 8;                           // zlib's default.
constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;  // zlib counts bytes in 32 bits.

// A decompression stream that the destructor closes.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw InternalError("inflateInit2 failed");
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
    throw InputError("expected a complete gzip file, found " + found, {path.string(), 0, 0});
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

struct GzipWriter::State {
  z_stream stream{};
  std::string piece = std::string(kUnpackedPiece, '\0');

  State() {
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw InternalError("deflateInit2 failed");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { deflateEnd(&stream); }
};

GzipWriter::GzipWriter(TextSink take) : take_(std::move(take)), state_(std::make_unique<State>()) {}
GzipWriter::~GzipWriter() = default;

void GzipWriter::add(std::string_view piece) {
  for (; piece.size() > kMaxAtOnce; piece.remove_prefix(kMaxAtOnce))
    deflate_all(piece.substr(0, kMaxAtOnce), false);
  deflate_all(piece, false);
}

void GzipWriter::finish() { deflate_all({}, true); }

void GzipWriter::deflate_all(std::string_view piece, bool is_last) {
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(state_->piece.data());
    stream.avail_out = static_cast<uInt>(state_->piece.size());
    if (deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
      throw InternalError("deflate failed");
    take_(std::string_view(state_->piece).substr(0, state_->piece.size() - stream.avail_out));
  } while (stream.avail_out == 0);
}

std::string gzip(std::string_view text) {
  std::string packed;
  GzipWriter writer([&](std::string_view piece) { packed += piece; });
  writer.add(text);
  writer.finish();
  return packed;
}

}  // namespace warptune::base::streams
