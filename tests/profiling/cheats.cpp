#include "tests/profiling/cheats.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <stdexcept>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {

namespace {

std::filesystem::path cheat_folder() { return test_data_folder() / "cheats"; }

// Returns the text of a key, which must be one of the allowed ones.
std::string text_of(const toml::table& table, const char* key, const std::set<std::string>& allowed) {
  const std::string text = table[key].value_or(std::string());
  if (allowed.contains(text)) return text;
  throw std::runtime_error(
      fmt::format("the index of cheats, line {}: {} is \"{}\"", table.source().begin.line, key, text));
}

Cheat read_cheat(const toml::table& table) {
  static const std::set<std::string> keys = {"name",      "kind",           "chance",
                                             "caught_by", "honest_if_slow", "shows_on_host"};
  static const std::set<std::string> means = {"outputs",         "guards",       "inputs",
                                              "repeated launch", "other inputs", "time"};
  for (const auto& [key, unused] : table) {
    if (!keys.contains(std::string(key.str())))
      throw std::runtime_error(fmt::format("the index of cheats has no key {}", key.str()));
  }
  Cheat cheat;
  cheat.name = table["name"].value_or(std::string());
  const std::string kind = text_of(table, "kind", {"deterministic", "lucky", "one in N"});
  cheat.kind = kind == "lucky"      ? CheatKind::kLucky
               : kind == "one in N" ? CheatKind::kOneInN
                                    : CheatKind::kDeterministic;
  cheat.chance = table["chance"].value<double>();
  cheat.caught_by = text_of(table, "caught_by", means);
  cheat.honest_if_slow = table["honest_if_slow"].value_or(false);
  cheat.shows_on_host = table["shows_on_host"].value_or(false);
  return cheat;
}

}  // namespace

const std::vector<Cheat>& cheats() {
  static const std::vector<Cheat> all = [] {
    const toml::table index = toml::parse_file((cheat_folder() / "index.toml").string());
    std::vector<Cheat> read;
    if (const toml::array* kernels = index["kernel"].as_array()) {
      for (const toml::node& kernel : *kernels) read.push_back(read_cheat(*kernel.as_table()));
    }
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

model::NamedValues cheat_configuration(int cheat) { return {{"CHEAT", std::int64_t{cheat}}}; }

void PrintTo(const Cheat& cheat, std::ostream* stream) { *stream << cheat.name; }

}  // namespace warptune::profiling
