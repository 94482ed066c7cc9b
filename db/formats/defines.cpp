#include <fmt/format.h>

#include "db/formats/cpp_text.h"
#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"

namespace warptune::db::formats {

namespace {

// The text that defines a macro with this value. Booleans become 0 or 1, as in the evaluations.
std::string macro_text(const model::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  return model::to_text(value);
}

// Returns a word as it is written in a shell, in quotes if it needs them.
std::string quoted(const std::string& word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/+@%";
  if (word.find_first_not_of(kSafe) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The compiler options of a configuration. Options that depend on the problem and the GPU are those for the
// workload of `winner`; they are left out if it is null.
std::string options(const ExportInput& kernel, const model::NamedValues& configuration,
                    const Winner* winner) {
  const std::vector<model::Value> values = in_order(kernel, configuration);
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += ' ';
    line += quoted(fmt::format("-D{}={}", kernel.parameters[i].name, macro_text(values[i])));
  }
  if (!kernel.further_options || winner == nullptr) return line;
  for (const std::string& word :
       kernel.further_options(winner->workload.problem, winner->workload.gpu, configuration)) {
    line += ' ' + quoted(word);
  }
  return line;
}

std::string write_defines(const std::vector<ExportInput>& kernels) {
  std::string text;
  for (const ExportInput& kernel : kernels) {
    const std::string hash = distinction(kernel, kernels);
    const std::string name = comment_text(kernel.kernel + (hash.empty() ? "" : fmt::format(" ({})", hash)));
    const std::vector<const Winner*> winners = exportable(kernel);
    for (const Winner* winner : winners) {
      text += fmt::format("# {}: {}\n{}\n", name, comment_text(evidence(*winner, kernel.has_check)),
                          options(kernel, winner->best.configuration, winner));
    }
    text += fmt::format(
        "# {}: the default\n{}\n", name,
        options(kernel, kernel.default_configuration, winners.empty() ? nullptr : winners.front()));
  }
  return text;
}

}  // namespace

ExportFormat defines_format() {
  return {"defines", "for each winner, one line with all compiler options for nvcc", write_defines};
}

}  // namespace warptune::db::formats
