// The small files of a spool: everything whose members are listed, as JSON. Include it only in .cpp files.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fleet/spool/folder.h"
#include "fleet/spool/warnings.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet::spool {

template <class T>
std::string json_text(const T& object) {
  using nlohmann::json;
  return model::encoding::json_of(object).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// std::nullopt if the text is not such an object. `problem` then says why.
template <class T>
std::optional<T> parse_json(const std::string& text, std::string& problem) {
  try {
    T object;
    model::encoding::read(nlohmann::json::parse(text), object);
    return object;
  } catch (const std::exception& error) {
    problem = model::encoding::json_problem(error);
    return std::nullopt;
  }
}

/// std::nullopt if there is no such file, or if it is damaged, which is logged once.
template <class T>
std::optional<T> read_json(const Folder& folder, const std::string& name) {
  const std::optional<std::string> text = folder.read(name);
  if (!text) return std::nullopt;
  std::string problem;
  std::optional<T> object = parse_json<T>(*text, problem);
  if (!object)
    warn_once(fmt::format("{}: this file is damaged, and is left out: {}", (folder.path() / name).string(),
                          problem));
  return object;
}

}  // namespace warptune::fleet::spool
