// Texts of a definition that come from file names and captures.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner::drafting {

/// A basic string of TOML, with its quotes. Bytes that are not UTF-8 are replaced.
std::string toml_string(std::string_view text);

}  // namespace warptune::tuner::drafting
