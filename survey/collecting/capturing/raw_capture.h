// A captured launch as one raw stream has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "survey/collecting/capturing/captured_stream.h"
#include "survey/collecting/raw_stream.h"

namespace warptune::survey::collecting::capturing {

struct RawCapture {
  struct Buffer {
    RawCapturedBuffer record;
    std::string variable;
    std::string before;  ///< Less than `record.bytes` if parts are missing, as is `after`.
    std::string after;
  };

  std::optional<RawCapturedLaunch> launch;
  std::vector<RawCapturedParameter> parameters;
  std::string block;
  std::string kernel;  ///< The mangled name.
  std::vector<Buffer> buffers;
  std::string image;
  RawCapturedTotals totals;

  /// Whether everything is here: the code, and the contents of all buffers.
  bool complete() const;
};

/// Takes the content of a chunk of one of the captured kinds. Returns false if it is damaged.
bool add_captured(RawCapture& capture, RawChunk kind, std::string_view content);

}  // namespace warptune::survey::collecting::capturing
