#include "survey/collecting/capturing/capture_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "model/median.h"
#include "survey/collecting/counting/counting_plan_file.h"
#include "survey/collecting/injection_folder.h"
#include "survey/collecting/program_window.h"
#include "survey/collecting/raw_devices.h"
#include "survey/collecting/raw_process.h"
#include "survey/collecting/raw_reader.h"
#include "survey/collecting/started_program.h"

namespace warptune::survey::collecting::capturing {

namespace fs = std::filesystem;
using profiling::captures::CapturedLaunch;
using records::Survey;

namespace {

void add_buffers(RawCapture& capture, CapturedLaunch& launch) {
  for (RawCapture::Buffer& buffer : capture.buffers) {
    profiling::captures::CapturedBuffer captured;
    captured.address = buffer.record.address;
    captured.variable = std::move(buffer.variable);
    captured.before = std::move(buffer.before);
    if (buffer.after != captured.before) captured.after = std::move(buffer.after);
    launch.buffers.push_back(std::move(captured));
  }
}

void add_notes(const RawCapturedLaunch& raw, CapturedLaunch& launch) {
  if (raw.unread_variables > 0)
    launch.notes.push_back(
        fmt::format("{} of the code could not be read, so a replay has their initial values.",
                    base::counted(raw.unread_variables, "variable")));
  if (raw.left_out_attributes > 0)
    launch.notes.push_back(fmt::format("{} of the launch is not repeated.",
                                       base::counted(raw.left_out_attributes, "attribute")));
  if (raw.images_of_name > 1)
    launch.notes.push_back(fmt::format(
        "The program loaded {} images of code with a kernel of this name; the capture has the last one.",
        raw.images_of_name));
}

void add_gpu(const Survey& survey, const RawCapturedLaunch& raw, CapturedLaunch& launch) {
  for (const records::Device& device : survey.devices) {
    const bool is_it = device.uuid == uuid_text(raw.uuid, false) || device.uuid == uuid_text(raw.uuid, true);
    if (!is_it && survey.devices.size() > 1) continue;
    launch.gpu_name = device.gpu.name;
    launch.compute_major = device.gpu.compute_major;
    launch.compute_minor = device.gpu.compute_minor;
  }
}

// The median of the launches of the first run with the geometry of the captured one.
void add_application_time(const Survey& survey, records::Index name, CapturedLaunch& launch) {
  std::vector<double> times;
  for (const records::Launch& one : survey.launches) {
    const records::KernelShape& shape = survey.shapes[one.shape];
    if (shape.name == name && shape.grid == launch.grid && shape.block == launch.block)
      times.push_back(static_cast<double>(one.time.duration()));
  }
  launch.application_launches = std::ssize(times);
  launch.application_ns = model::median_of(std::move(times));
}

CapturedLaunch launch_of(RawProcess& process, const Survey& survey, records::Index name) {
  RawCapture& capture = process.capture;
  const RawCapturedLaunch& raw = *capture.launch;
  CapturedLaunch launch;
  launch.kernel = capture.kernel;
  launch.name = survey.names[name];
  launch.image = std::move(capture.image);
  launch.grid = raw.grid;
  launch.block = raw.block;
  launch.cluster = raw.cluster;
  launch.dynamic_shared_bytes = raw.dynamic_shared;
  launch.cooperative = raw.cooperative != 0;
  launch.carveout = raw.carveout;
  for (const RawCapturedParameter& parameter : capture.parameters)
    launch.parameters.push_back({parameter.offset, parameter.bytes});
  launch.parameter_bytes = std::move(capture.block);
  launch.launch = raw.launch;
  launch.command = survey.run.command;
  launch.driver_version = raw.driver_version;
  launch.cupti_version = process.header.cupti_version;
  launch.warptune_version = base::kVersion;
  launch.captured_ms = base::unix_time_ms();
  add_buffers(capture, launch);
  add_notes(raw, launch);
  add_gpu(survey, raw, launch);
  add_application_time(survey, name, launch);
  return launch;
}

// Why no process captured the launch.
std::string problem_of(const std::vector<RawProcess>& processes, const CaptureRequest& request) {
  if (processes.empty())
    return "No process of the run that captures initialised CUDA, so nothing was captured.";
  RawCapturedTotals most;
  for (const RawProcess& process : processes) {
    if (!process.problem.empty()) return process.problem;
    if (process.capture.launch)
      return "The run ended before the launch was captured whole, so nothing was captured.";
    most.launches = std::max(most.launches, process.capture.totals.launches);
    most.in_graphs = std::max(most.in_graphs, process.capture.totals.in_graphs);
  }
  if (most.launches == 0 && most.in_graphs > 0)
    return "All launches of the kernel became nodes of CUDA graphs, or came while a graph was captured, so "
           "nothing was captured.";
  if (most.launches == 0)
    return "The run that captures did not launch the kernel, or by CUDA graphs only, so nothing was "
           "captured.";
  return fmt::format("No process launched the kernel more than {}, so there is no launch {} to capture.",
                     most.launches == 1 ? "once" : fmt::format("{} times", most.launches), request.launch);
}

CaptureOutcome run_and_capture(const SurveyRequest& run, const CaptureRequest& request, const Survey& survey,
                               records::Index name) {
  counting::CountingPlan plan;
  plan.kernels.push_back({survey.names[name], {}, {}});
  const InjectionFolder folder;
  const fs::path plan_path = folder.path() / "plan";
  base::write_file_atomically(plan_path, counting::plan_bytes(plan));
  constexpr std::uint64_t kKibOfMib = 1024;
  std::vector<std::string> variables = window_from_now(run.after, run.duration).variables();
  variables.insert(
      variables.end(),
      {"CUDA_INJECTION64_PATH=" + folder.library().string(),
       "WARPTUNE_SURVEY_FOLDER=" + folder.path().string(), "WARPTUNE_SURVEY_CUPTI=" + injected_cupti_path(),
       "WARPTUNE_SURVEY_PLAN=" + plan_path.string(),
       fmt::format("WARPTUNE_SURVEY_CAPTURE={}", request.launch),
       fmt::format("WARPTUNE_SURVEY_CAPTURE_KIB={}", request.limit_mib * kKibOfMib)});
  run_program(run.command, variables);
  // A stream has all contents twice. What else it has, such as the code, is less than this.
  constexpr std::uint64_t kOthersMib = 512;
  constexpr unsigned kMib = 20;
  std::vector<RawProcess> processes =
      read_raw_processes(folder.path(), (2 * request.limit_mib + kOthersMib) << kMib);
  for (RawProcess& process : processes) {
    if (process.problem.empty() && process.capture.complete()) return {launch_of(process, survey, name), ""};
  }
  return {std::nullopt, problem_of(processes, request)};
}

}  // namespace

CaptureOutcome capture_launch(const SurveyRequest& run, const CaptureRequest& request, const Survey& survey,
                              records::Index name) {
  try {
    return run_and_capture(run, request, survey, name);
  } catch (const base::InternalError&) {
    throw;
  } catch (const std::exception& error) {  // Also too little memory for the contents.
    return {std::nullopt, fmt::format("Nothing was captured: {}.", error.what())};
  }
}

}  // namespace warptune::survey::collecting::capturing
