#pragma once

#include <iosfwd>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/value.h"

namespace warptune::profiling {

/// How often a cheat or mistake of the corpus gives a wrong result.
enum class CheatKind {
  kDeterministic,  ///< In every evaluation.
  kLucky,          ///< At random: a race.
  kOneInN          ///< In one of N launches.
};

/// A kernel of the corpus in tests/profiling/data/cheats. It is an entry of index.toml there, which explains
/// the members. `CHEAT` is 0 for the honest sibling and 1 for the cheat or mistake.
struct Cheat {
  std::string name;
  CheatKind kind = CheatKind::kDeterministic;
  std::optional<double> chance;
  std::string caught_by;
  bool honest_if_slow = false;
  bool shows_on_host = false;
};

/// Returns the corpus in the order of its index. Throws `std::runtime_error` when the index is malformed.
const std::vector<Cheat>& cheats();
/// Returns the sorted names of the definitions in the folder, without those that others extend
/// (`shared_...`).
std::vector<std::string> cheat_files();
kernel_templates::KernelDefinition load_cheat(const std::string& name);
/// Returns the configuration of the honest sibling (0) or of the cheat (1).
model::NamedValues cheat_configuration(int cheat);

/// Prints a parameter of a GoogleTest.
void PrintTo(const Cheat& cheat, std::ostream* stream);

}  // namespace warptune::profiling
