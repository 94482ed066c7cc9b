#include "survey/analysis/named_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "survey/analysis/short_kernel_name.h"

namespace warptune::survey::analysis {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// Whether a name has the parts of `pattern` between its `*` in this order, and its first and last part at its
// ends.
bool fits(std::string_view name, std::string_view pattern) {
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  while ((star = pattern.find('*')) != std::string_view::npos) {
    const std::size_t found = name.find(pattern.substr(0, star));
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
  return name.ends_with(pattern);
}

}  // namespace

std::string_view function_name(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

records::Index kernel_named(const records::Survey& survey, const std::vector<KernelTime>& kernels,
                            std::string_view text) {
  constexpr std::size_t kListed = 10;
  constexpr std::size_t kShort = 60;
  std::vector<std::string> known;
  known.reserve(kernels.size());
  for (const KernelTime& kernel : kernels)
    known.push_back(short_kernel_name(survey.names[kernel.name], kUnlimited));
  constexpr std::size_t kForms = 3;
  const auto forms_of = [&](std::size_t i) {
    return std::array<std::string_view, kForms>{survey.names[kernels[i].name], known[i],
                                                function_name(known[i])};
  };
  for (std::size_t form = 0; form < kForms; ++form) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (forms_of(i)[form] == text) return kernels[i].name;
    }
  }
  // The last attempt, because a whole name may have stars of its own: those of pointers.
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (const std::string_view name : forms_of(i)) {
      if (fits(name, text)) return kernels[i].name;
    }
  }
  if (kernels.empty()) throw base::InputError(fmt::format("'{}': the program launched no kernel", text));
  std::string names;
  for (std::size_t i = 0; i < kernels.size() && i < kListed; ++i)
    names += (names.empty() ? "" : ", ") + short_kernel_name(survey.names[kernels[i].name], kShort);
  const auto part = std::find_if(kernels.begin(), kernels.end(), [&](const KernelTime& kernel) {
    return survey.names[kernel.name].find(text) != std::string::npos;
  });
  const std::string hint =
      part == kernels.end()
          ? base::did_you_mean(text, known)
          : fmt::format(", but '*{}*' fits {}", text, short_kernel_name(survey.names[part->name], kShort));
  throw base::InputError(fmt::format(
      "'{}': the program launched no kernel of this name{}; those with most time are {}", text, hint, names));
}

}  // namespace warptune::survey::analysis
