#include "tuner/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/exit_codes.h"
#include "base/text.h"
#include "base/version.h"
#include "tuner/manual/value_completion.h"

namespace warptune::tuner::manual {

namespace {

constexpr std::size_t kLineColumns = 78;  // mandoc's lint wants at most 80.
constexpr std::size_t kMaxListedWords = 20;

// Escapes a text for roff. A hyphen is escaped, too, because roff may print another character for it, which
// cannot be copied into a command line.
std::string literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '"') {
      escaped += "\\(dq";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view text) { return "\\fB" + literal(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + literal(text) + "\\fR"; }

// Breaks a text into lines. roff would read a line that begins with a dot or an apostrophe as a request.
std::string filled(const std::string& roff) {
  std::string text;
  std::size_t column = 0;
  for (std::string word : base::split(roff, ' ')) {
    if (word.empty()) continue;
    if (word.front() == '.' || word.front() == '\'') word.insert(0, "\\&");
    const bool fits = column != 0 && column + 1 + word.size() <= kLineColumns;
    text += column == 0 ? "" : fits ? " " : "\n";
    column = fits ? column + 1 + word.size() : word.size();
    text += word;
  }
  return text + "\n";
}

std::string section(std::string_view title, const std::string& content) {
  return fmt::format(".SH {}\n{}", title, content);
}

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + filled(head) + filled(text);
}

std::string header(const std::string& name) {
  std::string title = name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(
      ".\\\" Written by: warptune help --man\n.TH {} 1 {} \"warptune {}\" \"warptune manual\"\n",
      literal(title), base::kManualDate, base::kVersion);
}

std::string name_section(const std::string& name, const std::string& summary) {
  return section("NAME", filled(literal(name) + " \\- " + literal(summary)));
}

// `tune KERNEL`: the command is bold, the placeholders are in italics.
std::string synopsis(const CommandDescription& command) {
  const std::string rest = command.usage.substr(command.name.size());
  std::string line = bold("warptune " + command.name);
  for (const std::string& word : base::split(rest, ' ')) {
    if (!word.empty()) line += " " + italic(word);
  }
  line += " [" + italic("options") + "]";
  if (!command.program.empty()) line += " [" + literal("--") + " " + italic(command.program) + "]";
  return section("SYNOPSIS", filled(line));
}

std::string option_head(const OptionDescription& option) {
  std::string head = option.letter == '\0' ? "" : bold(fmt::format("-{}", option.letter)) + ", ";
  head += bold("--" + option.name);
  if (option.value_is_optional) return fmt::format("{}[={}]", head, italic(option.placeholder));
  return option.placeholder.empty() ? head : head + " " + italic(option.placeholder);
}

// A sentence about the known words, where they are few and neither help nor placeholder names them.
std::string known_values(const OptionDescription& option) {
  const std::vector<std::string> known = completion_of(option.placeholder, option.words).words;
  const bool are_named = std::all_of(option.words.begin(), option.words.end(), [&](const std::string& word) {
    return option.help.find(word) != std::string::npos;
  });
  if (are_named || known.size() > kMaxListedWords) return "";
  return fmt::format(" Values: {}.", fmt::join(known, ", "));
}

// Adds a capital letter and a full stop. A first word that is a value is not changed.
std::string sentence(std::string text, const std::vector<std::string>& words) {
  const std::string first = text.substr(0, text.find_first_of(" ,"));
  if (!text.empty() && !base::contains(words, first) && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

std::string options_section(const std::vector<OptionDescription>& options) {
  std::string text;
  for (const OptionDescription& option : options) {
    std::string help = sentence(option.help, option.words) + known_values(option);
    if (option.fallback) help += fmt::format(" Default: {}.", *option.fallback);
    text += entry(option_head(option), literal(help));
  }
  return section("OPTIONS", text);
}

std::string exit_status_section() {
  std::string text;
  for (const base::ExitCodeInfo& row : base::exit_codes())
    text += entry(bold(fmt::format("{}", static_cast<int>(row.code))), literal(row.meaning));
  return section("EXIT STATUS", text);
}

bool takes(const CommandDescription& command, const std::string& option) {
  for (const OptionDescription& taken : command.options) {
    if (taken.name == option) return true;
  }
  return false;
}

// The files of one command, or all files without a command.
std::string files_section(const ProgramDescription& program, const CommandDescription* command) {
  std::string text;
  for (const FileDescription& file : program.files) {
    if (command == nullptr || file.option.empty() || takes(*command, file.option))
      text += entry(italic(file.path), literal(file.meaning));
  }
  return section("FILES", text);
}

std::string environment_section() {
  std::string text;
  for (const base::VariableInfo& row : base::environment_variables()) {
    if (!row.meaning.empty()) text += entry(bold(row.name), literal(row.meaning));
  }
  return section("ENVIRONMENT", text);
}

std::string examples_section(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples)
    text += entry(bold("warptune " + example.arguments), literal(example.meaning));
  return section("EXAMPLES", text);
}

std::string see_also(const std::vector<std::string>& pages) {
  std::vector<std::string> named;
  named.reserve(pages.size());
  for (const std::string& page : pages) named.push_back(bold(page) + "(1)");
  return section("SEE ALSO", filled(fmt::format("{}", fmt::join(named, ", "))) + ".PP\n" +
                                 filled(literal("The documents in share/doc/warptune say more.")));
}

}  // namespace

std::string man_page_name(const CommandDescription& command) { return "warptune-" + command.name; }

std::string command_man_page(const ProgramDescription& program, const CommandDescription& command) {
  const std::string name = man_page_name(command);
  std::vector<std::string> pages = {"warptune"};
  for (const std::string& related : command.related) pages.push_back("warptune-" + related);
  return header(name) + name_section(name, command.summary) + synopsis(command) +
         section("DESCRIPTION", filled(literal(command.description))) + options_section(command.options) +
         exit_status_section() + files_section(program, &command) + environment_section() +
         examples_section(command.examples) + see_also(pages);
}

std::string program_man_page(const ProgramDescription& program) {
  std::string commands;
  std::vector<Example> examples;
  std::vector<std::string> pages;
  for (const CommandDescription& command : program.commands) {
    commands += entry(bold(man_page_name(command)) + "(1)", literal(sentence(command.summary, {})));
    if (!command.examples.empty()) examples.push_back(command.examples.front());
    pages.push_back(man_page_name(command));
  }
  return header("warptune") + name_section("warptune", "tune CUDA kernels") +
         section("SYNOPSIS",
                 filled(bold("warptune") + " " + italic("COMMAND") + " [" + italic("options") + "]")) +
         section("DESCRIPTION", filled(literal(program.description))) + section("COMMANDS", commands) +
         options_section(program.options) + exit_status_section() + files_section(program, nullptr) +
         environment_section() + examples_section(examples) + see_also(pages);
}

}  // namespace warptune::tuner::manual
