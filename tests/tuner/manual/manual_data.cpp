#include "tests/tuner/manual/manual_data.h"

#include <optional>

namespace warptune::tuner::manual {

ProgramDescription coffee_program() {
  CommandDescription brew;
  brew.name = "brew";
  brew.summary = "make coffee";
  brew.usage = "brew BEAN|FILE...";
  brew.description = "Makes coffee. A \\ and a \"quote\" stay, .5 and 'words' too.";
  brew.positional = {"BEAN|FILE", {"arabica", "robusta"}};
  brew.options = {
      {"size", '\0', "N", "cups", "2", false, {}},
      {"milk", 'm', "none|oat", "the milk's kind; may be left out [none: black]", "none", false, {}},
      {"spice", '\0', "NAME[,NAME]", "what is added", std::nullopt, true, {"anise", "clove"}},
      {"into", '\0', "DIR|none", "where to", std::nullopt, false, {}},
      {"hot", '\0', "", "without waiting", std::nullopt, false, {}}};
  brew.examples = {{"brew arabica --milk oat", "Makes two cups."}};
  brew.related = {"grind"};
  ProgramDescription program;
  program.summary = "Coffee.";
  program.description = "Makes coffee of beans.";
  program.options = {{"version", 'V', "", "print the version", std::nullopt, false, {}}};
  program.commands = {brew};
  program.files = {
      {"/etc/beans", "The beans.", ""}, {"/var/milk", "Milk.", "milk"}, {"/var/tea", "Tea.", "tea"}};
  return program;
}

}  // namespace warptune::tuner::manual
