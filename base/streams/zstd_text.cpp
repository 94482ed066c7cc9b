#include "base/streams/zstd_text.h"

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"
#include "base/unique_handle.h"

namespace warptune::base::streams {

namespace {

struct CompressorTraits {
  using Handle = ZSTD_CCtx*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { ZSTD_freeCCtx(handle); }
};

struct DecompressorTraits {
  using Handle = ZSTD_DCtx*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { ZSTD_freeDCtx(handle); }
};

void check(std::size_t code, const char* call) {
  if (ZSTD_isError(code) != 0) throw InternalError(fmt::format("{}: {}", call, ZSTD_getErrorName(code)));
}

}  // namespace

std::string zstd_compress(std::string_view text, int level) {
  const UniqueHandle<CompressorTraits> context(ZSTD_createCCtx());
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level), "ZSTD_CCtx_setParameter");
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1), "ZSTD_CCtx_setParameter");
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), bytes.data(), bytes.size(), text.data(), text.size());
  check(size, "ZSTD_compress2");
  bytes.resize(size);
  return bytes;
}

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

void zstd_decompress(std::string_view bytes, const std::filesystem::path& path, std::string_view what,
                     const TextSink& take) {
  const auto fail = [&](const std::string& found) {
    throw InputError(fmt::format("expected a zstd-compressed {}, found {}", what, found),
                     {path.string(), 0, 0});
  };
  if (bytes.empty()) fail("an empty file");
  const UniqueHandle<DecompressorTraits> context(ZSTD_createDCtx());
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  std::size_t wanted = 0;
  // A full buffer means that the library may hold further output, even after it has read all input.
  bool has_more = false;
  while (in.pos < in.size || has_more) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    wanted = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(wanted) != 0)
      fail(fmt::format("a file with damaged bytes near {}: {}", in.pos, ZSTD_getErrorName(wanted)));
    take(std::string_view(piece).substr(0, out.pos));
    has_more = out.pos == out.size && wanted != 0;
  }
  if (wanted != 0) fail(fmt::format("a file cut off after {} bytes", bytes.size()));
}

}  // namespace warptune::base::streams
