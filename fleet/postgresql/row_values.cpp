#include "fleet/postgresql/row_values.h"

#include "base/log.h"
#include "fleet/names.h"

namespace warptune::fleet::postgresql {

namespace {

using model::encoding::json;

void warn(const std::string& address, const char* what, const std::exception& error) {
  base::log_warning(fmt::format("{}: {} cannot be read and is left out: {}", address, what, error.what()));
}

}  // namespace

std::optional<Node> node_from_json(const std::string& address, std::string_view text) {
  try {
    Node node;
    model::encoding::read(json::parse(text), node);
    require_node_id(node.id);
    return node;
  } catch (const std::exception& error) {
    warn(address, "what a node says about itself", error);
    return std::nullopt;
  }
}

bool are_names(const std::string& address, std::string_view campaign, std::optional<std::string_view> node) {
  try {
    require_campaign_name(campaign);
    if (node) require_node_id(*node);
    return true;
  } catch (const base::InputError& error) {
    warn(address, "a row of the store", error);
    return false;
  }
}

std::vector<Attempt> attempts_from_json(const std::string& address, std::string_view text) {
  json list = json::parse(text);
  for (json& attempt : list) {
    try {
      std::optional<TaskOutcome> outcome;
      model::encoding::read(attempt.at("outcome"), outcome);
    } catch (const std::exception& error) {
      warn(address, "the outcome of an attempt", error);
      attempt["outcome"] = nullptr;
    }
  }
  std::vector<Attempt> attempts;
  model::encoding::read(list, attempts);
  return attempts;
}

}  // namespace warptune::fleet::postgresql
