#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::manual {

/// What a shell can offer for a value.
struct ValueCompletion {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
  bool is_list = false;  ///< The value may be a list, separated by commas.

  bool empty() const { return words.empty() && !files && !folders; }
};

/// Reads a placeholder. Bars separate its parts. A part in lower case is a possible value. `FILE`,
/// `RECORDING` and `KERNEL` mean that a file can be given, `DIR` that a folder can be given. Any other part
/// says nothing. A comma anywhere says that the value may be a list. `known` are further words.
ValueCompletion completion_of(const std::string& placeholder, const std::vector<std::string>& known);

}  // namespace warptune::tuner::manual
