#include "tuner/protocol/codec.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/detail/json_fields.h"

namespace warptune::tuner::protocol {

using nlohmann::json;

namespace {

constexpr const char* kNameKey = "type";  // No message has a member of this name.

// Builds a value from a parser's events, as long as they keep within limits: `nlohmann::json`'s own reader
// has none, and calls itself for each list within a list.
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
    problem_ = fmt::format("no CBOR from byte {} on", position);
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

  // Where the next value goes; null past a limit.
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
    open_.push_back(where);  // A parent takes nothing else while it is open, so that this stays where it is.
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

// Tries the alternatives of `Message` one by one: the name says which it is.
template <std::size_t I = 0>
Message message_named(const std::string& name, const json& form) {
  if constexpr (I == std::variant_size_v<Message>) {
    throw detail::FormError(fmt::format("no message is named '{}'", name));
  } else {
    using Alternative = std::variant_alternative_t<I, Message>;
    if (name != Alternative::kName) return message_named<I + 1>(name, form);
    Alternative message;
    detail::read(form, message);
    return message;
  }
}

}  // namespace

std::string encode(const Message& message, const Limits& limits) {
  json form = std::visit(
      [](const auto& held) {
        json fields = detail::json_of(held);
        fields[kNameKey] = std::string(held.kName);
        return fields;
      },
      message);
  std::string bytes;
  json::to_cbor(form, bytes);
  if (bytes.size() > limits.message_bytes) {
    throw base::InternalError(
        fmt::format("a message '{}' of {} bytes is longer than the {} that are accepted",
                    form[kNameKey].get<std::string>(), bytes.size(), limits.message_bytes));
  }
  return bytes;
}

base::Result<Message> decode(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.message_bytes)
    return base::failure(fmt::format("{} bytes where {} are accepted", bytes.size(), limits.message_bytes));
  BoundedBuilder builder(limits);
  try {
    if (!json::sax_parse(bytes.begin(), bytes.end(), &builder, json::input_format_t::cbor))
      return base::failure(builder.problem());
    const json& form = builder.root();
    detail::require(form.is_object(), "an object");
    const auto name = form.find(kNameKey);
    detail::require(name != form.end() && name->is_string(), "the name of a message");
    return message_named(name->get<std::string>(), form);
  } catch (const std::exception& error) {
    return base::failure(std::string(error.what()));
  }
}

}  // namespace warptune::tuner::protocol
