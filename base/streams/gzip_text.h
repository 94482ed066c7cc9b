#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/streams/text_sink.h"

namespace warptune::base::streams {

/// Whether `bytes` begin like a gzip file.
bool is_gzip(std::string_view bytes);

/// Unpacks one or more gzip members and gives their text to `take`, piece by piece. Throws `InputError` with
/// `path` if `bytes` are truncated or damaged. `take` may have received some pieces by then.
void gunzip(std::string_view bytes, const std::filesystem::path& path, const TextSink& take);

/// Compresses a text that comes in pieces into one gzip member, and gives its bytes to `take` as they come.
class GzipWriter {
 public:
  explicit GzipWriter(TextSink take);
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  ~GzipWriter();

  void add(std::string_view piece);
  /// Ends the member. Nothing may be added after it.
  void finish();

 private:
  struct State;

  void deflate_all(std::string_view piece, bool is_last);

  TextSink take_;
  std::unique_ptr<State> state_;
};

/// A whole text as one gzip member.
std::string gzip(std::string_view text);

}  // namespace warptune::base::streams
