#include "tuner/commands/outputs/output_file.h"

#include <fmt/format.h>

#include <array>
#include <boost/program_options/variables_map.hpp>
#include <cctype>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace warptune::tuner::commands::outputs {

namespace {

namespace po = boost::program_options;

// The texts of an option, or all positional arguments.
std::vector<std::string> texts_of(const po::variable_value& value) {
  if (const auto* one = boost::any_cast<std::string>(&value.value())) return {*one};
  if (const auto* several = boost::any_cast<std::vector<std::string>>(&value.value())) return *several;
  return {};
}

// A word without a dot and a slash is rather the name of a kernel than a file.
bool may_be_file(const std::string& text) { return text.find_first_of("./") != std::string::npos; }

bool is_database(const std::filesystem::path& path) {
  constexpr std::string_view kBegin = "SQLite format 3";
  std::array<char, kBegin.size()> begin{};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  return std::ifstream(path, std::ios::binary).read(begin.data(), begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kBegin;
}

}  // namespace

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  if (std::filesystem::equivalent(one, other, error)) return true;  // Also hard links.
  const auto resolved = [](const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(path, failed);
    const std::filesystem::path found = std::filesystem::weakly_canonical(whole, failed);
    return failed ? path.lexically_normal() : found;
  };
  return resolved(one) == resolved(other);
}

void require_own_file(const std::string& name, const std::filesystem::path& path,
                      const po::variables_map& given) {
  base::require_writable(path);
  std::error_code ignored;
  const bool is_special = std::filesystem::exists(path, ignored) &&
                          !std::filesystem::is_regular_file(path, ignored);  // Such as /dev/null.
  if (is_special) return;
  for (const auto& [other, value] : given) {
    if (other == name) continue;
    const bool is_option = std::islower(static_cast<unsigned char>(other.front())) != 0;  // Arguments: FILE.
    for (const std::string& text : texts_of(value)) {
      if (may_be_file(text) && is_same_file(path, text))
        throw base::InputError(fmt::format("--{} and {}{} name the same file: {}", name,
                                           is_option ? "--" : "", other, path.string()));
    }
  }
  if (is_database(path))
    throw base::InputError(fmt::format(
        "--{}: '{}' is a database; it would be overwritten, so name another file", name, path.string()));
}

}  // namespace warptune::tuner::commands::outputs
