#include "tuner/surveying/survey_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "db/store.h"
#include "profiling/roofs/host_rates.h"
#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/named_kernel.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/analysis/survey_comparison.h"
#include "survey/captures/capture_file.h"
#include "survey/collecting/started_program.h"
#include "survey/records/run_ending.h"
#include "survey/records/survey_file.h"
#include "survey/records/trace_file.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/surveys/survey_json.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/survey_page/survey_page.h"
#include "tuner/surveying/usual_names.h"
#include "tuner/text_output/surveys/survey_report.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::surveying {

namespace fs = std::filesystem;

namespace {

using survey::collecting::InputPlace;
using survey::collecting::SurveyRequest;
using survey::collecting::capturing::CaptureOutcome;
using survey::records::Survey;

// While it lives, what this process and its children write to standard output goes to standard error.
class OutputToError {
 public:
  OutputToError() {
    std::fflush(stdout);
    // The program must not have it: what the program leaves running would keep a pipe open.
    kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw base::MachineError(fmt::format("standard output cannot be moved: {}", std::strerror(errno)), "");
  }
  OutputToError(const OutputToError&) = delete;
  OutputToError& operator=(const OutputToError&) = delete;
  ~OutputToError() {
    std::fflush(stdout);
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }

 private:
  int kept_ = -1;
};

// While it lives, a write into a pipe that nobody reads fails and does not end this process.
class SurvivedPipes {
 public:
  SurvivedPipes() {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // Programs that are started get the default, other than with `SIG_IGN`.
    ::sigaction(SIGPIPE, &action, &before_);
    if (before_.sa_handler == SIG_IGN) ::sigaction(SIGPIPE, &before_, nullptr);
  }
  SurvivedPipes(const SurvivedPipes&) = delete;
  SurvivedPipes& operator=(const SurvivedPipes&) = delete;
  ~SurvivedPipes() { ::sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// A person who forgot `--` gave the program as the file.
Survey read_file(const fs::path& path) {
  try {
    return survey::records::read_survey(path);
  } catch (const base::InputError& error) {
    if (const std::string hint = command_by_name(path, "survey"); !hint.empty())
      throw base::InputError(error.what() + hint);
    if (::access(path.c_str(), X_OK) != 0 || fs::is_directory(path)) throw;
    throw base::InputError(fmt::format("{}; to run a program, write -- before it: warptune survey -- {}",
                                       error.what(), path.string()));
  }
}

// Runs the program a second time to count its hot kernels. A person who stopped it wants no second run.
void count(const SurveyRequest& request, const survey::collecting::counting::CountingRequest& counting,
           const InputPlace& input, Survey& survey) {
  std::string& problem = survey.run.counting_problem;
  if (survey.run.signal || survey::collecting::signal_came()) {
    problem = "Nothing was counted, because the first run was ended by a signal.";
    return;
  }
  const std::vector<survey::analysis::KernelTime> kernels = survey::analysis::analyse(survey).kernels;
  const survey::analysis::HotShapes hot =
      survey::analysis::hot_shapes(survey, kernels, survey::collecting::counting::kMaxCountedKernels);
  if (hot.collectives > 0)
    problem = "Collectives (of NCCL or NVSHMEM) were not counted, because they wait for other GPUs.";
  if (!hot.shapes.empty())
    text_output::print_error("warptune: the program runs a second time, to read the counters of {}\n",
                             base::counted(hot.shapes.size(), "kernel"));
  input.restore();
  survey::collecting::counting::count_launches(request, counting, hot.shapes, survey);
}

// Runs the program once more to capture a launch.
CaptureOutcome capture(const SurveyRequest& request,
                       const survey::collecting::capturing::CaptureRequest& capturing,
                       const InputPlace& input, const Survey& survey) {
  if (survey.run.signal || survey::collecting::signal_came())
    return {std::nullopt, "Nothing was captured, because the first run was ended by a signal."};
  try {
    const survey::records::Index name =
        survey::analysis::kernel_named(survey, survey::analysis::analyse(survey).kernels, capturing.kernel);
    text_output::print_error("warptune: the program runs once more, to capture launch {} of {}\n",
                             capturing.launch, survey.names[name]);
    input.restore();
    return survey::collecting::capturing::capture_launch(request, capturing, survey, name);
  } catch (const base::InputError& error) {
    return {std::nullopt, fmt::format("Nothing was captured: --capture {}.", error.what())};
  }
}

// A survey, and the launch that was captured beside it.
struct Surveyed {
  Survey survey;
  CaptureOutcome captured;
};

// The size of a pipe or a device says nothing.
void say_written(const char* what, const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  if (error || bytes == 0) return text_output::print_error("{} {}\n", what, path.string());
  text_output::print_error("{} {}: {} MB\n", what, path.string(),
                           fmt::format("{:.2f}", 1e-6 * static_cast<double>(bytes)));
}

// Writes the files of a survey. Each is tried, whatever happens to the others, because a run may not be
// repeatable.
class Outputs {
 public:
  void write(const char* what, const std::optional<fs::path>& path, const auto& write_file) {
    if (!path) return;
    try {
      write_file(*path);
      say_written(what, *path);
    } catch (const base::Error& error) {
      text_output::print_error("warptune: {}\n", error.what());
      if (ending_ == base::ExitCode::kDone) ending_ = error.exit_code();
    } catch (const std::exception& error) {
      text_output::print_error("warptune: {} {}: {}\n", what, path->string(), error.what());
      if (ending_ == base::ExitCode::kDone) ending_ = base::ExitCode::kWorkFailed;
    }
  }
  void write_survey(const Survey& survey, const std::optional<fs::path>& path) {
    write("survey", path, [&](const fs::path& file) { survey::records::write_survey(survey, file); });
  }
  /// Says why something that was asked for does not exist.
  void fail(const std::string& sentence) {
    text_output::print_error("warptune: {}\n", sentence);
    if (ending_ == base::ExitCode::kDone) ending_ = base::ExitCode::kWorkFailed;
  }
  /// That of the first failure.
  base::ExitCode ending() const { return ending_; }

 private:
  base::ExitCode ending_ = base::ExitCode::kDone;
};

Surveyed run_all(const SurveyQuestion& question, Outputs& outputs) {
  const auto& request = std::get<SurveyRequest>(question.source);
  const InputPlace input;  // Each further run begins to read there.
  Surveyed surveyed{survey::collecting::run_surveyed(request), {}};
  // A further run can take as long as the first and end otherwise, also with the end of this process.
  if (question.counting || question.capturing) outputs.write_survey(surveyed.survey, question.output);
  if (question.counting) count(request, *question.counting, input, surveyed.survey);
  if (question.capturing) surveyed.captured = capture(request, *question.capturing, input, surveyed.survey);
  return surveyed;
}

Surveyed obtain(const SurveyQuestion& question, Outputs& outputs) {
  if (const auto* file = std::get_if<fs::path>(&question.source)) return {read_file(*file), {}};
  if (!question.json) return run_all(question, outputs);
  const OutputToError moved;
  return run_all(question, outputs);
}

void print_as_json(const nlohmann::ordered_json& output) {
  text_output::print_out("{}\n", json_output::to_text(output));
}

// What the database knows of the host and the first GPU of a survey. A survey needs no database, so problems
// with it only mean that nothing is known. It is not written, not even to give it the newest schema.
survey::analysis::AnalysisOptions known_rates(const SurveyQuestion& question, const Survey& survey,
                                              bool is_told) {
  survey::analysis::AnalysisOptions options;
  if (survey.devices.empty()) return options;
  try {
    const fs::path database = knowledge::database_path(question.database);
    if (!db::Store::exists(database)) return options;
    const profiling::roofs::MeasuredHost host =
        profiling::roofs::measured_host(db::Store::open_shared(database).roofs(survey.devices.front().gpu));
    options.host_link_bytes_per_s = host.link_bytes_per_s;
    options.launch_s = host.launch_s;
  } catch (const base::Error& error) {
    const bool has_no_default = !question.database && error.exit_code() == base::ExitCode::kMachineCannot;
    if (is_told && !has_no_default)
      text_output::print_error("warptune: the measured rate of the host link cannot be read: {}\n",
                               error.what());
  }
  return options;
}

// Prints the survey, and what changed since `earlier`. As JSON it is one of the two.
void show(const SurveyQuestion& question, const Survey& survey,
          const survey::analysis::SurveyAnalysis& analysis, const std::optional<Survey>& earlier) {
  std::optional<survey::analysis::SurveyComparison> comparison;
  if (earlier)
    comparison = survey::analysis::compare(
        *earlier, survey::analysis::analyse(*earlier, known_rates(question, *earlier, false)), survey,
        analysis);
  if (!question.json) {
    text_output::print_fitted(text_output::surveys::survey_report(survey, analysis));
    if (comparison)
      text_output::print_fitted("\n" + text_output::surveys::survey_comparison_report(*comparison));
  } else if (comparison) {
    print_as_json(json_output::surveys::survey_comparison_json(*comparison));
  } else {
    print_as_json(json_output::surveys::survey_json(survey, analysis));
  }
}

}  // namespace

base::ExitCode survey_and_show(const SurveyQuestion& question) {
  std::optional<Survey> earlier;
  if (question.compared_with) earlier = read_file(*question.compared_with);
  const bool is_run = std::holds_alternative<SurveyRequest>(question.source);
  std::optional<survey::collecting::ForwardedSignals> signals;
  if (is_run) signals.emplace();  // Until all is written.
  std::optional<SurvivedPipes> pipes(std::in_place);
  Outputs outputs;
  const Surveyed surveyed = obtain(question, outputs);
  const Survey& survey = surveyed.survey;
  if (!question.capturing || question.counting) outputs.write_survey(survey, question.output);
  if (surveyed.captured.launch) {
    outputs.write("capture", question.capture_output, [&](const fs::path& path) {
      survey::captures::write_capture(*surveyed.captured.launch, path);
    });
    for (const std::string& note : surveyed.captured.launch->notes)
      text_output::print_error("warptune: {}\n", note);
  } else if (question.capturing) {
    outputs.fail(surveyed.captured.problem);
  }
  if (const std::string ending = survey::records::ending_of(survey.run); !ending.empty())
    text_output::print_error("{}\n", ending);
  const survey::analysis::SurveyAnalysis analysis =
      survey::analysis::analyse(survey, known_rates(question, survey, true));
  outputs.write("page", question.page,
                [&](const fs::path& path) { survey_page::write_survey_page(survey, analysis, path); });
  outputs.write("trace", question.trace,
                [&](const fs::path& path) { survey::records::write_trace(survey, path); });
  pipes.reset();  // As usual, a reader of the text may end this process by going away.
  show(question, survey, analysis, earlier);
  std::fflush(stdout);  // While signals are ignored. `main` looks at errors.
  if (is_run && !question.output)
    text_output::print_error(
        "This survey is not stored. The option -o FILE stores it, and warptune survey FILE shows it "
        "again.\n");
  return outputs.ending();
}

}  // namespace warptune::tuner::surveying
