// The small files of a spool: everything whose members are listed, as JSON. Include it only in .cpp files.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/log.h"
#include "fleet/spool/folder.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet::spool {

template <class T>
std::string json_text(const T& object) {
  using nlohmann::json;
  return model::encoding::json_of(object).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// std::nullopt if there is no such file, or if it is damaged, which is logged.
template <class T>
std::optional<T> read_json(const Folder& folder, const std::string& name) {
  const std::optional<std::string> text = folder.read(name);
  if (!text) return std::nullopt;
  try {
    T object;
    model::encoding::read(nlohmann::json::parse(*text), object);
    return object;
  } catch (const std::exception& error) {
    base::log_warning(fmt::format("{}: this file is damaged, and is left out: {}",
                                  (folder.path() / name).string(), error.what()));
    return std::nullopt;
  }
}

}  // namespace warptune::fleet::spool
