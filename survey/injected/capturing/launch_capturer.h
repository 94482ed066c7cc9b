// Captures one launch of a kernel in one process: its code, its parameters, and the contents of its buffers
// before and after it. Other launches run as they are.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/capturing/captured_stream.h"
#include "survey/injected/capturing/captured_call.h"
#include "survey/injected/capturing/captured_memory.h"
#include "survey/injected/capturing/captured_parameters.h"
#include "survey/injected/capturing/capturing_functions.h"
#include "survey/injected/capturing/kernel_image.h"
#include "survey/injected/capturing/known_textures.h"
#include "survey/injected/counting/launch_calls.h"
#include "survey/injected/counting/planned_launches.h"
#include "survey/injected/cupti_functions.h"
#include "survey/injected/raw_file.h"
#include "survey/injected/settings.h"

namespace warptune::survey::injected::capturing {

/// The capturer of this process. There is at most one. It is never destroyed, because CUPTI calls it until
/// the process ends.
class LaunchCapturer {
 public:
  /// Creates the stream of this process and asks CUPTI for callbacks. What fails is written into the stream.
  /// Returns null if there is no stream.
  static LaunchCapturer* start(const Settings& settings);

  /// Writes what became of the launches. It may be called more than once. It does nothing in a child that the
  /// process forked.
  void finish();
  /// In a child that the process forked, nothing is captured.
  void forget_process() { is_over_ = is_forgotten_ = true; }

 private:
  LaunchCapturer(const Settings& settings, const CuptiFunctions& cupti);
  /// Returns why nothing can be captured, as a sentence, or null.
  const char* prepare();
  static void CUPTIAPI on_event(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                                const void* data);
  void on_call(const counting::LaunchCall& call, CUpti_CallbackId callback, const CUpti_CallbackData& data);
  void enter(const counting::LaunchCall& call, CUpti_CallbackId callback, const CUpti_CallbackData& data);
  void leave(const CUpti_CallbackData& data);
  bool is_in_graph(const counting::LaunchCall& call, CUstream stream) const;
  /// These return why the launch cannot be captured, as a sentence, or null.
  const char* capture_after(const CUpti_CallbackData& data);
  const char* capture_before(const CapturedCall& call, const char* name);
  const char* find_function(const CapturedCall& call);
  const char* write_launch(const CapturedCall& call, const char* name);
  /// Whether this process is the first that wants to capture.
  bool claim() const;
  void write_problem(const char* text);
  void set_callbacks(bool on);
  void end();

  const Settings settings_;
  const CapturingFunctions functions_;
  const char* const problem_;
  RawFile file_;
  counting::PlannedLaunches plan_;
  KernelImage image_{plan_};
  CapturedMemory memory_{functions_};
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_forgotten_{false};
  std::atomic<int> captures_{0};  ///< Captures of graphs that have begun and not ended.
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> in_graphs_{0};

  KnownTextures textures_;
  pthread_mutex_t turn_ = PTHREAD_MUTEX_INITIALIZER;  ///< Who has it may write the stream.

  /// The thread of the wanted launch alone uses what follows.
  CUfunction function_ = nullptr;
  CUmodule module_ = nullptr;
  CapturedParameters parameters_;
};

}  // namespace warptune::survey::injected::capturing
