#pragma once

#include <cstdint>

#include "library/include/warptune.h"

namespace warptune::library {

inline warptune_value integer(std::int64_t number) {
  warptune_value value{};
  value.type = WARPTUNE_VALUE_INTEGER;
  value.as.integer = number;
  return value;
}

inline warptune_value text(const char* characters) {
  warptune_value value{};
  value.type = WARPTUNE_VALUE_TEXT;
  value.as.text = characters;
  return value;
}

}  // namespace warptune::library
