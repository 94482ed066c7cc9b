#include "tuner/checking/emulated_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

#include "base/text.h"

namespace warptune::tuner::checking {

namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::inspection::Finding;
using kernel_templates::inspection::Severity;

// Exit codes of emulated programs (kernel_templates/emulation/runtime/guarded_memory.h.in). A program that a
// signal ended has the exit code 128 + the signal's number.
constexpr int kDefect = 3;   // The kernel is wrong.
constexpr int kLacking = 4;  // The emulation lacks something that the kernel needs.
constexpr int kFirstSignal = 128;

// The column of the first character that is not blank. The sanitizers of g++ give a line without a column.
int first_column(const std::string& file, int line) {
  std::ifstream stream(file);
  std::string text;
  for (int i = 0; i < line && std::getline(stream, text); ++i) {
  }
  const std::size_t column = text.find_first_not_of(" \t");
  return column == std::string::npos ? 1 : static_cast<int>(column) + 1;
}

// A file of the definition: neither generated, nor a header of the emulation or of the system.
bool is_of_definition(const KernelDefinition& definition, const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && definition.scope.allows(file) &&
         !file.ends_with("/program.cpp");
}

class OutputReader {
 public:
  OutputReader(const KernelDefinition& definition, const std::vector<EmulatedRun>& runs)
      : definition_(definition), runs_(runs) {}

  EmulatedOutcome run(const kernel_templates::emulation::ProgramOutcome& outcome) {
    const std::vector<std::string> lines = base::split(outcome.output, '\n');
    for (const std::string& line : lines) read_line(base::split(line, '\t'));
    if (outcome.exit_code == 0 || reported_wrong_) return std::move(result_);
    if (const std::optional<Finding> access = sanitizer_finding(lines)) {
      result_.findings.push_back(*access);
    } else if (outcome.exit_code == kDefect) {
      add(place(), message_after(lines, "defect: "));
    } else if (outcome.exit_code == kLacking) {
      result_.obstacle = "the emulation lacks " + message_after(lines, "lacking: ");
    } else if (outcome.exit_code > kFirstSignal && begun_) {
      add(place(), fmt::format("the program ended by signal {}", outcome.exit_code - kFirstSignal));
    } else {
      result_.obstacle = fmt::format("its program ended with exit code {}", outcome.exit_code);
    }
    return std::move(result_);
  }

 private:
  // Reads a line `begin RUN ...`, `reference RUN` or `wrong RUN ARGUMENT ORDER MESSAGE ...`, with tabs
  // between the words. ORDER is that of the threads. Ignores any other line.
  void read_line(const std::vector<std::string>& words) {
    const bool names_run =
        words.size() >= 2 && (words[0] == "begin" || words[0] == "reference" || words[0] == "wrong");
    if (!names_run) return;
    run_ = std::min<std::size_t>(std::strtoull(words[1].c_str(), nullptr, 10), runs_.size() - 1);
    in_reference_ = words[0] == "reference";
    begun_ = true;
    if (words[0] != "wrong" || words.size() < 5) return;
    reported_wrong_ = true;
    base::SourcePosition position = place();
    for (const kernel_templates::Argument& argument : definition_.arguments) {
      if (argument.name == words[2]) position = argument.position;
    }
    add(position, fmt::format("the argument '{}': {}{}", words[2], words[4],
                              words[3] == "backward"
                                  ? ", but only if the threads run in reverse order, so a barrier is missing"
                                  : ""));
  }

  base::SourcePosition place() const {
    const bool entry = definition_.check.reference == kernel_templates::ReferenceKind::kEntry;
    if (in_reference_) return entry ? definition_.check.launch.position : definition_.check.position;
    return definition_.entry_position;
  }

  Finding finding(const base::SourcePosition& position, const std::string& what) const {
    const EmulatedRun& run = runs_[run_];
    const std::string which = in_reference_               ? "the reference"
                              : run.configuration.empty() ? ""
                                                          : model::to_text(run.configuration);
    return {run.ragged ? Severity::kWarning : Severity::kError, position,
            fmt::format("run on the host for {}{}{}: {}{}", model::to_text(run.problem),
                        which.empty() ? "" : ", ", which, what,
                        run.ragged
                            ? "; the definition allows these sizes: add a constraint, or handle the remainder"
                            : "")};
  }
  void add(const base::SourcePosition& position, const std::string& what) {
    result_.findings.push_back(finding(position, what));
  }

  static std::string message_after(const std::vector<std::string>& lines, std::string_view beginning) {
    for (const std::string& line : lines) {
      if (line.starts_with(beginning)) return line.substr(beginning.size());
    }
    return "something that it does not name";
  }

  std::optional<Finding> sanitizer_finding(const std::vector<std::string>& lines) const {
    static const std::regex undefined(R"(^([^:]+):(\d+):(\d+): runtime error: (.*)$)");
    static const std::regex access(R"(^(READ|WRITE) of size (\d+) )");
    static const std::regex frame(R"(^\s*#\d+ 0x[0-9a-f]+ in .* ([^: ]+):(\d+)(?::(\d+))?$)");
    std::string what;
    for (const std::string& line : lines) {
      std::smatch match;
      if (std::regex_match(line, match, undefined) && is_of_definition(definition_, match[1]))
        return finding({match[1], std::atoi(match[2].str().c_str()), std::atoi(match[3].str().c_str())},
                       match[4]);
      if (line.find("ERROR: AddressSanitizer: ") != std::string::npos && what.empty())
        what = "an invalid memory access";
      if (std::regex_search(line, match, access)) {
        what = fmt::format("{} {} bytes outside of a buffer", match[1] == "READ" ? "reads" : "writes",
                           match[2].str());
      }
      if (what.empty() || !std::regex_match(line, match, frame)) continue;
      if (!is_of_definition(definition_, match[1])) continue;
      const int row = std::atoi(match[2].str().c_str());
      const int column = match[3].matched ? std::atoi(match[3].str().c_str()) : first_column(match[1], row);
      return finding({match[1], row, column}, what);
    }
    return what.empty() ? std::nullopt : std::optional(finding(place(), what));
  }

  const KernelDefinition& definition_;
  const std::vector<EmulatedRun>& runs_;
  EmulatedOutcome result_;
  std::size_t run_ = 0;
  bool in_reference_ = false;
  bool begun_ = false;
  bool reported_wrong_ = false;
};

}  // namespace

EmulatedOutcome emulated_findings(const KernelDefinition& definition, const std::vector<EmulatedRun>& runs,
                                  const kernel_templates::emulation::ProgramOutcome& outcome) {
  return OutputReader(definition, runs).run(outcome);
}

}  // namespace warptune::tuner::checking
