#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::manual {

/// What a shell can offer for a value.
struct ValueCompletion {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
  bool is_list = false;  ///< Several values stand between commas.

  bool empty() const { return words.empty() && !files && !folders; }
};

/// Reads a placeholder. Between its bars stand: a word in small letters, which is a value itself; `FILE`,
/// `RECORDING` or `KERNEL`, for which a file may stand; `DIR`, for which a folder stands; anything else, of
/// which nothing is known. A comma anywhere says that the value may be a list. `known` are further words.
ValueCompletion completion_of(const std::string& placeholder, const std::vector<std::string>& known);

}  // namespace warptune::tuner::manual
