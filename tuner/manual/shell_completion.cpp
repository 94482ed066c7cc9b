#include "tuner/manual/shell_completion.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace warptune::tuner::manual {

namespace {

constexpr Shell kShells[] = {
    {"bash", "bash-completion/completions/warptune", bash_completion},
    {"zsh", "zsh/site-functions/_warptune", zsh_completion},
    {"fish", "fish/vendor_completions.d/warptune.fish", fish_completion},
};

}  // namespace

std::span<const Shell> shells() { return kShells; }

const Shell& shell_named(std::string_view name) {
  std::vector<std::string> known;
  for (const Shell& shell : kShells) {
    if (shell.name == name) return shell;
    known.emplace_back(shell.name);
  }
  throw base::InputError(fmt::format("unknown shell '{}'{}; expected {}", name,
                                     base::did_you_mean(name, known), fmt::join(known, ", ")));
}

std::string quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += quote;
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string first_clause(std::string_view help) { return std::string(help.substr(0, help.find(';'))); }

}  // namespace warptune::tuner::manual
