#pragma once

#include <string>
#include <vector>

namespace warptune::base {

/// The texts as `execve` expects them: a pointer to each, then a null pointer. The result points into
/// `texts`.
inline std::vector<char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace warptune::base
