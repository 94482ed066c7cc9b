#include "tuner/manual/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/exit_codes.h"
#include "base/text.h"

namespace warptune::tuner::manual {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kMaxHeadColumns = 32;  // A longer head has a line of its own.
constexpr std::size_t kMinTextColumns = 20;

using Row = std::pair<std::string, std::string>;

// The words of `text` in lines of at most `columns`.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& word : base::split(text, ' ')) {
    if (word.empty()) continue;
    if (lines.empty() || lines.back().size() + 1 + word.size() > columns) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string paragraph(const std::string& text, std::size_t columns) {
  return fmt::format("{}\n", fmt::join(wrapped(text, columns), "\n"));
}

// Heads on the left, what they mean in a column on the right.
std::string two_columns(const std::vector<Row>& rows, std::size_t columns) {
  std::size_t head_columns = 0;
  for (const auto& [head, ignored] : rows) {
    if (head.size() <= kMaxHeadColumns) head_columns = std::max(head_columns, head.size());
  }
  const std::size_t start = kIndent + head_columns + 2;
  const std::size_t width = columns > start + kMinTextColumns ? columns - start : kMinTextColumns;
  std::string text;
  for (const auto& [head, meaning] : rows) {
    const std::vector<std::string> lines = wrapped(meaning, width);
    const bool has_own_line = head.size() > head_columns;
    text += fmt::format("{:{}}{}", "", kIndent, head) + (has_own_line ? "\n" : "");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t taken = i == 0 && !has_own_line ? kIndent + head.size() : 0;
      text += fmt::format("{:{}}{}\n", "", start - taken, lines[i]);
    }
  }
  return text;
}

std::string options_text(const std::vector<OptionDescription>& options, std::size_t columns) {
  std::vector<Row> rows;
  rows.reserve(options.size());
  for (const OptionDescription& option : options) {
    rows.emplace_back(option_text(option) + (option.fallback ? fmt::format(" (={})", *option.fallback) : ""),
                      option.help);
  }
  return "Options:\n" + two_columns(rows, columns);
}

std::string examples_text(const std::vector<Example>& examples, std::size_t columns) {
  std::string text = "\nExamples:\n";
  for (const Example& example : examples) {
    text += fmt::format("  warptune {}\n", example.arguments);
    for (const std::string& line : wrapped(example.meaning, columns - 6))
      text += fmt::format("      {}\n", line);
  }
  return text;
}

std::string exit_codes_text() {
  std::vector<std::string> codes;
  for (const base::ExitCodeInfo& row : base::exit_codes())
    codes.push_back(fmt::format("{} {}", static_cast<int>(row.code), row.summary));
  return fmt::format("Exit codes: {}.", fmt::join(codes, "; "));
}

}  // namespace

std::string option_text(const OptionDescription& option) {
  const std::string letter = option.letter == '\0' ? "" : fmt::format("-{}, ", option.letter);
  const std::string name = letter + "--" + option.name;
  if (option.value_is_optional) return fmt::format("{}[={}]", name, option.placeholder);
  return option.placeholder.empty() ? name : name + " " + option.placeholder;
}

std::string help_text(const CommandDescription& command, std::size_t columns) {
  return fmt::format("Usage: warptune {} [options]{}\n\n{}\n{}{}", command.usage,
                     command.program.empty() ? "" : fmt::format(" [-- {}]", command.program),
                     paragraph(command.description, columns), options_text(command.options, columns),
                     command.examples.empty() ? "" : examples_text(command.examples, columns));
}

std::string overview_text(const ProgramDescription& program, std::size_t columns) {
  std::vector<Row> commands;
  commands.reserve(program.commands.size());
  for (const CommandDescription& command : program.commands)
    commands.emplace_back(command.name, command.summary);
  return fmt::format("Usage: warptune COMMAND [options]\n\n{}\nCommands:\n{}\n{}\n{}",
                     paragraph(program.summary, columns), two_columns(commands, columns),
                     options_text(program.options, columns),
                     paragraph("Each command has --help. " + exit_codes_text(), columns));
}

}  // namespace warptune::tuner::manual
