#include "tuner/html_report/embedded_text.h"

#include <zlib.h>

#include "base/error.h"

namespace warptune::tuner::html_report {

namespace {

constexpr int kLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // zlib.h: adding 16 selects the gzip format.
constexpr int kMemoryLevel = 8;       // zlib's default.
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw base::InternalError("zlib cannot be initialised");
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw base::InternalError("zlib cannot compress the data of a report");
  return packed;
}

}  // namespace

std::string gzip_base64(std::string_view text) {
  const std::string packed = gzip(text);
  std::string encoded;
  encoded.reserve((packed.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < packed.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < packed.size() ? static_cast<unsigned char>(packed[at]) : 0U;
    };
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    encoded += kDigits[group >> 18U];
    encoded += kDigits[group >> 12U & 63U];
    encoded += i + 1 < packed.size() ? kDigits[group >> 6U & 63U] : '=';
    encoded += i + 2 < packed.size() ? kDigits[group & 63U] : '=';
  }
  return encoded;
}

}  // namespace warptune::tuner::html_report
