#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "search/recording.h"
#include "tuner/cli/options.h"
#include "tuner/process_evaluator.h"
#include "tuner/tuning_session.h"

namespace warptune::tuner::cli {

/// What a session runs on: GPUs with an instance, or a recording.
struct Stage {
  std::unique_ptr<search::Recording> recording;
  std::unique_ptr<kernel_templates::KernelInstance> instance;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<SessionPlan> plan;
  std::vector<int> ordinals;  ///< The GPUs; empty for a recording.
};

/// What a slip of the keyboard can spoil, before anything is opened or started. Throws `base::InputError`.
void check_tune_choices(const Options& options);

/// The sessions that `tune` is asked for, each set up when it is called: one for each model among the GPUs
/// named, or one from a recording. Throws `base::MachineError` when there is no such GPU and nothing to
/// replay.
std::vector<std::function<Stage()>> tune_stages(const Options& options);

/// `--device`: the GPUs of a machine that has `count`; all of them where it says `all`. Throws
/// `base::InputError` on what is no list of different numbers, `base::MachineError` on a number that the
/// machine lacks.
std::vector<int> chosen_devices(const std::string& text, std::size_t count);

/// Numbers of GPUs of one model (database key), models in the order in which they first come.
std::vector<std::vector<int>> devices_by_model(const std::vector<search::GpuDescription>& gpus,
                                               const std::vector<int>& chosen);

/// `--metrics` with what the objective needs, as the evaluator takes it: `count`, `metrics` and
/// `measure_energy`. Throws `base::InputError` when an objective needs counters and none are to be read.
void choose_metrics(const std::string& text, const search::Objective& objective,
                    ProcessEvaluatorOptions& evaluator);

}  // namespace warptune::tuner::cli
