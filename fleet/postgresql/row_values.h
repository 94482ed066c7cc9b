// Values in JSON, as the store of campaigns keeps them.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fleet/node.h"
#include "fleet/postgresql/connection.h"
#include "fleet/task_record.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet::postgresql {

/// A parameter of type json. Bytes that are not UTF-8 are replaced.
inline Parameter json_parameter(const model::encoding::json& value) {
  return Parameter(value.dump(-1, ' ', false, model::encoding::json::error_handler_t::replace));
}
/// The same for everything whose members are listed.
template <class Value>
Parameter fields_parameter(const Value& value) {
  return json_parameter(model::encoding::json_of(value));
}

/// Reads a value from JSON text of the store. Throws `base::InputError` if it is not as expected: then
/// something else than warptune has changed it.
template <class Value>
Value value_from_json(const std::string& address, std::string_view text) {
  Value value{};
  try {
    model::encoding::read(model::encoding::json::parse(text), value);
  } catch (const std::exception& error) {
    throw base::InputError(fmt::format("{}: the store is damaged: {}", address, error.what()));
  }
  return value;
}

/// Nodes write the following values themselves. One that cannot be read must not keep people from reading all
/// others: a warning is logged, and the node or the outcome of the attempt is left out.
std::optional<Node> node_from_json(const std::string& address, std::string_view text);
std::vector<Attempt> attempts_from_json(const std::string& address, std::string_view text);

/// Whether the name of a campaign and, if given, the id of a node may be ones. Logs a warning if not.
bool are_names(const std::string& address, std::string_view campaign,
               std::optional<std::string_view> node = std::nullopt);

}  // namespace warptune::fleet::postgresql
