#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::protocol {

/// What an end accepts. A longer or deeper message is refused before anything is made of it.
struct Limits {
  std::size_t message_bytes = std::size_t{256} << 20;
  std::size_t text_bytes = std::size_t{64} << 20;  ///< A text, or a program's machine code.
  std::size_t items = std::size_t{1} << 20;        ///< Of one list or object.
  std::size_t depth = 12;                          ///< Of lists and objects in one another.
};

/// The message as CBOR (RFC 8949), an object with its name as "type" and its members by name, between its
/// length and the bytes that belong to it. Throws `base::InternalError` where it is longer than the other end
/// accepts.
std::string encode(const Message& message, const Limits& limits = {});

/// The message, or why the bytes are none: no CBOR, past a limit, an unknown name, a member that is missing
/// or of another type or range. Never throws, whatever the bytes: the other end is not trusted.
base::Result<Message> decode(std::string_view bytes, const Limits& limits = {});

}  // namespace warptune::tuner::protocol
