#include "tests/profiling/cheats.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "kernel_templates/detail/toml_reader.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {

namespace {

using kernel_templates::detail::TableReader;

std::filesystem::path cheat_folder() { return test_data_folder() / "cheats"; }

CheatKind kind_of(const TableReader& table) {
  const std::string text = table.required_text("kind");
  if (text == "deterministic") return CheatKind::kDeterministic;
  if (text == "lucky") return CheatKind::kLucky;
  if (text == "one in N") return CheatKind::kOneInN;
  table.fail("kind", "\"deterministic\", \"lucky\" or \"one in N\"");
}

Cheat read_cheat(const TableReader& table) {
  table.allow_only({"name", "kind", "chance", "caught_by", "honest_if_slow", "shows_on_host"});
  Cheat cheat;
  cheat.name = table.required_text("name");
  cheat.kind = kind_of(table);
  cheat.chance = table.number("chance");
  if (cheat.chance.has_value() != (cheat.kind == CheatKind::kOneInN))
    table.fail("chance", "a number where the kind is \"one in N\", and nothing elsewhere");
  cheat.caught_by = table.required_text("caught_by");
  const std::vector<std::string> means = {"outputs",         "guards",       "inputs",
                                          "repeated launch", "other inputs", "time"};
  if (std::find(means.begin(), means.end(), cheat.caught_by) == means.end())
    table.fail("caught_by", "one of those that the head of the index explains");
  cheat.honest_if_slow = table.boolean("honest_if_slow").value_or(false);
  cheat.shows_on_host = table.boolean("shows_on_host").value_or(false);
  return cheat;
}

}  // namespace

const std::vector<Cheat>& cheats() {
  static const std::vector<Cheat> all = [] {
    const std::filesystem::path path = cheat_folder() / "index.toml";
    const toml::table table = kernel_templates::detail::parse_toml(base::read_file(path), path.string());
    const TableReader root(&table, "", path.string());
    root.allow_only({"kernel"});
    std::vector<Cheat> read;
    for (const TableReader& kernel : root.tables("kernel")) read.push_back(read_cheat(kernel));
    return read;
  }();
  return all;
}

std::vector<std::string> cheat_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cheat_folder())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && name != "index" && !name.starts_with("shared_"))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

kernel_templates::KernelDefinition load_cheat(const std::string& name) {
  return kernel_templates::load_kernel_definition(cheat_folder() / (name + ".toml"));
}

search::NamedValues cheat_configuration(int cheat) { return {{"CHEAT", std::int64_t{cheat}}}; }

void PrintTo(const Cheat& cheat, std::ostream* stream) { *stream << cheat.name; }

}  // namespace warptune::profiling
