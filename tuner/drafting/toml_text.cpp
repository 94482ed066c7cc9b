#include "tuner/drafting/toml_text.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace warptune::tuner::drafting {

// Each string of JSON is one of TOML, too (TOML 1.0, "String"), except for a DEL, which TOML does not allow.
std::string toml_string(std::string_view text) {
  std::string quoted =
      nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = quoted.find('\x7F'); at != std::string::npos; at = quoted.find('\x7F', at))
    quoted.replace(at, 1, "\\u007f");
  return quoted;
}

}  // namespace warptune::tuner::drafting
