// Converts messages to bytes and back (docs/protocol.md).
//
// A message is encoded as CBOR (RFC 8949) by its list of members (model/encoding/json_fields.h). Machine code
// follows the CBOR as raw bytes, because the CBOR reader takes long texts byte by byte.
//
// The bytes come from a process that may run untrusted code. So reading never trusts a length. The length of
// a message is limited, and `BoundedBuilder` stops at the first text, list, depth or name beyond its limits.
// Every member is then checked for its type and range.
#include "tuner/protocol/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/log.h"
#include "model/encoding/json_fields.h"
#include "tuner/protocol/length.h"

namespace warptune::tuner::protocol {

using model::encoding::json_of;
using model::encoding::JsonFieldError;
using model::encoding::read;
using model::encoding::require;
using nlohmann::json;

namespace {

constexpr const char* kNameKey = "type";  // No message has a member of this name.

// Builds a value from a parser's events, as long as they are within the limits. The reader of
// `nlohmann::json` has no limits and calls itself for each nested list.
class BoundedBuilder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  explicit BoundedBuilder(const Limits& limits) : limits_(limits) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& text) {
    return within(text.size(), limits_.text_bytes, "a text") && add(std::move(text));
  }
  bool binary(binary_t& bytes) {
    return within(bytes.size(), limits_.text_bytes, "bytes") && add(json::binary(std::move(bytes)));
  }
  bool start_object(std::size_t) { return open(json::object()); }
  bool key(string_t& name) {
    key_ = std::move(name);
    return within(key_.size(), limits_.text_bytes, "a name");
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    problem_ = fmt::format("it is not CBOR from byte {} on", position);
    return false;
  }

  json& root() { return root_; }
  const std::string& problem() const { return problem_; }

 private:
  bool within(std::size_t found, std::size_t limit, const char* what) {
    if (found <= limit) return true;
    problem_ = fmt::format("{} of {} where {} are accepted", what, found, limit);
    return false;
  }

  // The place of the next value; null beyond a limit.
  json* place() {
    if (open_.empty()) return &root_;
    json& parent = *open_.back();
    if (!within(parent.size() + 1, limits_.items, "items")) return nullptr;
    if (parent.is_object()) return &parent[key_];
    return &parent.emplace_back();
  }

  bool add(json value) {
    json* const where = place();
    if (where != nullptr) *where = std::move(value);
    return where != nullptr;
  }

  bool open(json value) {
    json* const where = place();
    if (where == nullptr || !within(open_.size() + 1, limits_.depth, "a depth")) return false;
    *where = std::move(value);
    open_.push_back(where);  // An open parent adds no other item, so this address stays valid.
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const Limits& limits_;
  json root_;
  std::vector<json*> open_;
  std::string key_;
  std::string problem_;
};

// Calls `visit(bytes)` for each byte string in a value, in an order that depends only on the structure of the
// value.
template <class Visit>
void for_each_bytes(json& node, const Visit& visit) {
  if (node.is_binary()) return visit(node.get_binary());
  if (!node.is_structured()) return;
  for (json& item : node) for_each_bytes(item, visit);
}

// Moves all byte strings of a value to the end of `attached`, and replaces each by its length. In a message,
// the attached bytes follow the CBOR. CBOR's reader would read a long text byte by byte, and the GPU would
// wait for it.
void detach_bytes(json& node, std::string& attached) {
  for_each_bytes(node, [&](json::binary_t& bytes) {
    attached.append(bytes.begin(), bytes.end());
    const auto length = length_as_bytes(bytes.size());
    bytes.assign(length.begin(), length.end());
  });
}

// The reverse of `detach_bytes`. Throws `JsonFieldError` when the lengths do not match the bytes.
void attach_bytes(json& node, std::string_view attached, const Limits& limits) {
  for_each_bytes(node, [&](json::binary_t& bytes) {
    require(bytes.size() == kLengthBytes, "the length of attached bytes");
    const std::uint64_t length = length_in(reinterpret_cast<const char*>(bytes.data()));
    if (length > limits.text_bytes)
      throw JsonFieldError(fmt::format("bytes of {} where {} are accepted", length, limits.text_bytes));
    require(length <= attached.size(), "as many attached bytes as announced");
    bytes.assign(attached.begin(), attached.begin() + static_cast<std::ptrdiff_t>(length));
    attached.remove_prefix(length);
  });
  require(attached.empty(), "no more attached bytes than announced");
}

// Tries the alternatives of `Message` one by one and chooses by the name.
template <std::size_t I = 0>
Message message_named(const std::string& name, const json& node) {
  if constexpr (I == std::variant_size_v<Message>) {
    throw JsonFieldError(fmt::format("there is no message named '{}'", name));
  } else {
    using Alternative = std::variant_alternative_t<I, Message>;
    if (name != Alternative::kName) return message_named<I + 1>(name, node);
    Message message(std::in_place_type<Alternative>);
    read(node, std::get<Alternative>(message));
    return message;
  }
}

}  // namespace

std::string encode(const Message& message, const Limits& limits) {
  json node = std::visit(
      [](const auto& held) {
        json fields = json_of(held);
        fields[kNameKey] = std::string(held.kName);
        return fields;
      },
      message);
  const std::string name = node[kNameKey].get<std::string>();
  std::string attached;
  detach_bytes(node, attached);
  std::string bytes(kLengthBytes, '\0');
  json::to_cbor(node, bytes);
  const auto length = length_as_bytes(bytes.size() - kLengthBytes);
  std::copy(length.begin(), length.end(), bytes.begin());
  bytes += attached;
  if (bytes.size() > limits.message_bytes) {
    throw base::InternalError(
        fmt::format("a message '{}' of {} bytes is longer than the {} that are accepted", name, bytes.size(),
                    limits.message_bytes));
  }
  return bytes;
}

base::Result<Message> decode(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.message_bytes)
    return base::failure(fmt::format("{} bytes where {} are accepted", bytes.size(), limits.message_bytes));
  if (bytes.size() < kLengthBytes || length_in(bytes.data()) > bytes.size() - kLengthBytes)
    return base::failure(std::string("it is incomplete"));
  const std::string_view cbor = bytes.substr(kLengthBytes, length_in(bytes.data()));
  BoundedBuilder builder(limits);
  try {
    if (!json::sax_parse(cbor.begin(), cbor.end(), &builder, json::input_format_t::cbor))
      return base::failure(builder.problem());
    attach_bytes(builder.root(), bytes.substr(kLengthBytes + cbor.size()), limits);
    const json& node = builder.root();
    require(node.is_object(), "an object");
    const auto name = node.find(kNameKey);
    require(name != node.end() && name->is_string(), "the name of a message");
    return message_named(name->get<std::string>(), node);
  } catch (const json::exception& error) {  // The library's own text is only logged.
    base::log_debug(fmt::format("a message is refused: {}", error.what()));
    return base::failure(std::string("a member has a value of another type than expected"));
  } catch (const std::exception& error) {
    return base::failure(std::string(error.what()));
  }
}

}  // namespace warptune::tuner::protocol
