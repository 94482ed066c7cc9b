#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/value.h"

namespace warptune::bench {

/// `NAME=INTEGER` texts as sizes of a problem. Throws `base::InputError`.
inline search::NamedValues sizes_of(const std::vector<std::string>& texts) {
  search::NamedValues sizes;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) throw base::InputError("--size " + text + ": expected NAME=INTEGER");
    sizes.emplace_back(text.substr(0, at), std::int64_t{std::atoll(text.c_str() + at + 1)});
  }
  return sizes;
}

}  // namespace warptune::bench
