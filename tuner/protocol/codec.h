#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::protocol {

/// What each end of a channel accepts. A longer or deeper message is refused before anything is built from
/// it.
struct Limits {
  std::size_t message_bytes = std::size_t{256} << 20;
  std::size_t text_bytes = std::size_t{64} << 20;  ///< A text, or the machine code of a program.
  std::size_t items = std::size_t{1} << 20;        ///< Items of one list or object.
  std::size_t depth = 12;                          ///< Depth of nested lists and objects.
};

/// The message as bytes: the length of a CBOR object (RFC 8949), that object, then the attached bytes. The
/// object has the message's name as "type" and its members by their names. The attached bytes are the byte
/// strings of the message (machine code), of which the object has only the lengths. Throws
/// `base::InternalError` when the message is longer than the other end accepts.
std::string encode(const Message& message, const Limits& limits = {});

/// Reads a message, or returns why the bytes are not a valid one. For example, they are not CBOR, a limit is
/// exceeded, or a member is missing or has another type. Never throws, because the other end is not trusted.
base::Result<Message> decode(std::string_view bytes, const Limits& limits = {});

}  // namespace warptune::tuner::protocol
