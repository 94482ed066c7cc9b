#include "tuner/drafting/instance_name.h"

#include <cstddef>

#include "base/text.h"
#include "survey/analysis/named_kernel.h"

namespace warptune::tuner::drafting {

namespace {

// Leaves out the names of anonymous namespaces, which a source cannot write.
std::string without_anonymous(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string text(name);
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous))
    text.erase(at, kAnonymous.size());
  return text;
}

// The parts between commas outside of brackets, up to the bracket that closes the list.
std::vector<std::string> listed_until_close(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size() && depth >= 0; ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0 || (c != ',' && depth == 0)) continue;
    const std::string_view part = base::trim(text.substr(begin, i - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = i + 1;
  }
  return parts;
}

}  // namespace

InstanceName instance_name(std::string_view demangled) {
  constexpr std::string_view kReturned = "void ";
  std::string text = without_anonymous(demangled);
  if (text.starts_with(kReturned)) text.erase(0, kReturned.size());
  const std::size_t end = text.find_first_of("<(");
  InstanceName name;
  name.qualified = text.substr(0, end);
  name.function = survey::analysis::function_name(name.qualified);
  if (end != std::string::npos && text[end] == '<')
    name.template_arguments = listed_until_close(std::string_view(text).substr(end + 1));
  return name;
}

}  // namespace warptune::tuner::drafting
