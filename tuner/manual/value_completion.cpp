#include "tuner/manual/value_completion.h"

#include <algorithm>

#include "base/text.h"

namespace warptune::tuner::manual {

namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }

bool is_word(const std::string& part) {
  return !part.empty() && is_small(part.front()) &&
         std::all_of(part.begin(), part.end(), [](char c) { return is_small(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

ValueCompletion completion_of(const std::string& placeholder, const std::vector<std::string>& known) {
  ValueCompletion completion;
  completion.is_list = placeholder.find(',') != std::string::npos;
  for (const std::string& part : base::split(placeholder, '|')) {
    if (is_word(part)) completion.words.push_back(part);
    completion.files = completion.files || part == "FILE" || part == "RECORDING" || part == "KERNEL";
    completion.folders = completion.folders || part == "DIR";
  }
  for (const std::string& word : known) {
    if (!base::contains(completion.words, word)) completion.words.push_back(word);
  }
  return completion;
}

}  // namespace warptune::tuner::manual
