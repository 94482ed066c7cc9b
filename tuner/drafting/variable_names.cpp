#include "tuner/drafting/variable_names.h"

#include <cctype>
#include <cstddef>

namespace warptune::tuner::drafting {

namespace {

// Removes a name with its length before it, such as `9c_weights`, from the begin of `mangled`.
std::optional<std::string> take_name(std::string_view& mangled) {
  std::size_t at = 0;
  std::size_t length = 0;
  for (; at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0 &&
         length < mangled.size();
       ++at)
    length = 10 * length + static_cast<std::size_t>(mangled[at] - '0');
  if (length == 0 || length > mangled.size() - at) return std::nullopt;
  std::string name(mangled.substr(at, length));
  mangled.remove_prefix(at + length);
  return name;
}

}  // namespace

std::optional<std::string> plain_name(std::string_view mangled) {
  constexpr std::string_view kStatic = "_ZL";
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  if (!mangled.starts_with(kStatic)) return std::nullopt;
  mangled.remove_prefix(kStatic.size());
  return take_name(mangled);
}

std::optional<std::string> last_name(std::string_view mangled) {
  constexpr std::string_view kNested = "_ZN";
  if (!mangled.starts_with(kNested)) return std::nullopt;
  mangled.remove_prefix(kNested.size());
  std::optional<std::string> last;
  while (!mangled.empty() && mangled.front() != 'E') {
    if (mangled.front() == 'L') mangled.remove_prefix(1);
    last = take_name(mangled);
    if (!last) return std::nullopt;
  }
  return last;
}

}  // namespace warptune::tuner::drafting
