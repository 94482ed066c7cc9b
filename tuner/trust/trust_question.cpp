#include "tuner/trust/trust_question.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/text_output/terminal.h"
#include "tuner/trust/trusted_folders.h"

namespace warptune::tuner::trust {

namespace {

bool is_yes(const std::string& answer) {
  const std::string word = base::lower_case(answer);
  return word == "y" || word == "yes";
}

// Remembers the answer. If it cannot be stored, the command continues with a warning.
void remember(TrustedFolders& folders, const std::filesystem::path& folder) {
  try {
    folders.add(folder);
  } catch (const base::Error& error) {
    base::log_warning(fmt::format("this folder's trust is not remembered: {}", error.what()));
  }
}

bool is_trusted(const std::filesystem::path& file, const Terminal& terminal,
                const kernel_templates::TrustDemand& demand) {
  const std::filesystem::path folder = demand.definition.parent_path();
  TrustedFolders folders(file);
  const bool is_known = folders.contains(folder);
  if (!is_known && !terminal.is_interactive) return false;
  if (const auto why = changeable_by_others(demand.definition)) {
    base::log_warning(
        fmt::format("this definition is not trusted, because others could change it: {}", *why));
    return false;
  }
  if (is_known) return true;
  terminal.show(base::printable(
      fmt::format("{} {}.\nA definition that you trust can run code on this computer and read your files.\n"
                  "Do you trust the definitions in {}? [y/N] ",
                  demand.definition.string(), demand.purpose, folder.string())));
  const std::optional<std::string> answer = terminal.read_line();
  if (!answer || !is_yes(*answer)) return false;
  remember(folders, folder);
  return true;
}

}  // namespace

Terminal process_terminal() {
  return {::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0,
          [](const std::string& text) {
            text_output::print_error("{}", text);
            std::fflush(stderr);
          },
          []() -> std::optional<std::string> {
            std::array<char, 64> line{};
            if (std::fgets(line.data(), static_cast<int>(line.size()), stdin) == nullptr) return std::nullopt;
            const std::string answer = line.data();
            return answer.substr(0, answer.find('\n'));
          }};
}

std::shared_ptr<kernel_templates::Trust> trust_all_definitions() {
  return std::make_shared<kernel_templates::Trust>([](const kernel_templates::TrustDemand&) { return true; });
}

std::shared_ptr<kernel_templates::Trust> trust_by_question(std::filesystem::path file, Terminal terminal) {
  return std::make_shared<kernel_templates::Trust>(
      [file = std::move(file), terminal = std::move(terminal)](const kernel_templates::TrustDemand& demand) {
        return is_trusted(file, terminal, demand);
      });
}

}  // namespace warptune::tuner::trust
