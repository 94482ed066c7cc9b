#include "tuner/checking/host_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/emulation/host_compiler.h"
#include "kernel_templates/emulation/source_rewriting.h"
#include "kernel_templates/given_contents.h"
#include "tuner/checking/emulated_findings.h"
#include "tuner/checking/small_problems.h"
#include "tuner/workers/emulating/emulation_pool.h"

namespace warptune::tuner::checking {

namespace {

namespace emulation = kernel_templates::emulation;
using kernel_templates::inspection::Severity;

// A program with all small problems of one configuration.
struct ConfigurationProgram {
  workers::emulating::ProgramFiles files;
  std::vector<EmulatedRun> runs;
};

// The first error of the host's compiler, without its position, which is in a generated file.
std::string first_error(const std::string& output) {
  for (const std::string& line : base::split(output, '\n')) {
    const std::size_t at = line.find("error: ");
    if (at != std::string::npos) return line.substr(at + 7);
  }
  return std::string(base::first_line(output));
}

class HostRuns {
 public:
  explicit HostRuns(const HostCheckRequest& request) : request_(request) {}

  HostCheck run() {
    const std::filesystem::path compiler = emulation::find_host_compiler();
    if (compiler.empty()) return not_run("this machine has no C++ compiler (CXX)");
    if (request_.definition.check.reference == kernel_templates::ReferenceKind::kNone)
      return not_run("the definition has no reference to compare with");
    write_programs();
    if (programs_.empty()) return std::move(result_);
    std::vector<workers::emulating::ProgramFiles> files;
    files.reserve(programs_.size());
    for (ConfigurationProgram& program : programs_) files.push_back(std::move(program.files));
    const auto outcomes = workers::emulating::emulate_all(files, compiler, request_.jobs, request_.deadline,
                                                          request_.cancellation);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (!outcomes[i]) {
        result_.obstacle = outcomes[i].error();
      } else {
        judge(programs_[i], files[i], *outcomes[i]);
      }
    }
    if (result_.runs == 0) result_.problems.clear();
    std::stable_sort(result_.findings.begin(), result_.findings.end(), [](const auto& a, const auto& b) {
      return a.severity == Severity::kError && b.severity != Severity::kError;
    });
    return std::move(result_);
  }

 private:
  HostCheck not_run(std::string obstacle) {
    result_.obstacle = std::move(obstacle);
    return std::move(result_);
  }

  void write_programs() {
    const std::vector<SmallProblem> problems =
        small_problems(request_.definition, request_.sizes, request_.gpu, request_.configurations);
    if (problems.empty()) {
      result_.obstacle = kernel_templates::reads_files(request_.definition)
                             ? "the problem whose contents are in files is too large"
                             : "no configuration is valid for sizes that are small enough";
    }
    for (const SmallProblem& problem : problems) result_.problems.push_back(problem.instance.problem());
    for (const model::NamedValues& configuration : request_.configurations) {
      emulation::EmulationProgram program("");
      std::vector<EmulatedRun> runs;
      for (const SmallProblem& problem : problems) {
        const auto& valid = problem.configurations;
        if (std::find(valid.begin(), valid.end(), configuration) == valid.end()) continue;
        const auto added = program.add_against_reference(problem.instance, configuration, problem.seed);
        if (added) {
          runs.push_back({problem.instance.problem(), configuration, problem.ragged});
        } else {
          result_.obstacle = "it uses " + added.error();
        }
      }
      if (!runs.empty()) programs_.push_back({program.files(), std::move(runs)});
    }
    if (programs_.empty()) result_.problems.clear();
  }

  void judge(const ConfigurationProgram& program, const workers::emulating::ProgramFiles& files,
             const emulation::ProgramOutcome& outcome) {
    if (!outcome.compiled) {
      const std::string words = emulation::unsupported_words(files.front().bytes);
      result_.obstacle =
          words.empty() ? "the C++ compiler says: " + first_error(outcome.output) : "it uses " + words;
      return;
    }
    EmulatedOutcome read = emulated_findings(request_.definition, program.runs, outcome);
    result_.runs += read.obstacle.empty() ? program.runs.size() : 0;
    if (!read.obstacle.empty()) result_.obstacle = std::move(read.obstacle);
    result_.findings.insert(result_.findings.end(), read.findings.begin(), read.findings.end());
  }

  const HostCheckRequest& request_;
  HostCheck result_;
  std::vector<ConfigurationProgram> programs_;
};

}  // namespace

HostCheck check_on_host(const HostCheckRequest& request) { return HostRuns(request).run(); }

}  // namespace warptune::tuner::checking
