#pragma once

#include <iosfwd>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/value.h"

namespace warptune::profiling {

/// How often a cheat of the corpus is wrong.
enum class CheatKind {
  kDeterministic,  ///< In every evaluation.
  kLucky,          ///< As it happens: a race.
  kOneInN          ///< In one of N launches.
};

/// A kernel of the corpus, tests/profiling/data/cheats: an entry of its index.toml, which says what the
/// members mean. `CHEAT` is 0 for the honest sibling and 1 for the cheat or mistake.
struct Cheat {
  std::string name;
  CheatKind kind = CheatKind::kDeterministic;
  std::optional<double> chance;
  std::string caught_by;
  bool honest_if_slow = false;
  bool shows_on_host = false;
};

/// The corpus, as its index has it. Throws `std::runtime_error` where that is malformed.
const std::vector<Cheat>& cheats();
/// Names of the definitions in the folder but those that others extend (`shared_...`), sorted.
std::vector<std::string> cheat_files();
kernel_templates::KernelDefinition load_cheat(const std::string& name);
/// The configuration of the honest sibling (0) or the cheat (1).
model::NamedValues cheat_configuration(int cheat);

/// For GoogleTest.
void PrintTo(const Cheat& cheat, std::ostream* stream);

}  // namespace warptune::profiling
