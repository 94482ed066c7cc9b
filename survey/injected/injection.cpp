// The library that `warptune survey` has the CUDA driver load into a program, by CUDA_INJECTION64_PATH. It
// records what the program does on the GPUs, counts the launches of a plan, or captures one launch. An error
// here must never end the program, change what it computes, or print anything.
#include <pthread.h>
#include <stdlib.h>

#include <atomic>

#include "survey/injected/capturing/launch_capturer.h"
#include "survey/injected/counting/launch_counter.h"
#include "survey/injected/cupti_functions.h"
#include "survey/injected/recorder.h"
#include "survey/injected/settings.h"

#define WARPTUNE_EXPORTED extern "C" __attribute__((visibility("default")))

namespace warptune::survey::injected {

namespace {

std::atomic<Recorder*> process_recorder{nullptr};
std::atomic<counting::LaunchCounter*> process_counter{nullptr};
std::atomic<capturing::LaunchCapturer*> process_capturer{nullptr};
std::atomic<bool> has_started{false};

void finish_recorder() {
  if (Recorder* const current = process_recorder.load(); current != nullptr) current->finish();
  if (counting::LaunchCounter* const current = process_counter.load(); current != nullptr) current->finish();
  if (capturing::LaunchCapturer* const current = process_capturer.load(); current != nullptr)
    current->finish();
}

void forget_in_child() {
  if (Recorder* const current = process_recorder.load(); current != nullptr) current->forget_process();
  if (counting::LaunchCounter* const current = process_counter.load(); current != nullptr)
    current->forget_process();
  if (capturing::LaunchCapturer* const current = process_capturer.load(); current != nullptr)
    current->forget_process();
}

void start() {
  const Settings settings = read_settings();
  if (settings.folder[0] == '\0' || has_started.exchange(true)) return;
  if (settings.plan[0] != '\0' && settings.capture_launch > 0) {
    process_capturer.store(capturing::LaunchCapturer::start(settings));
    if (process_capturer.load() == nullptr) return;
  } else if (settings.plan[0] != '\0') {
    process_counter.store(counting::LaunchCounter::start(settings));
    if (process_counter.load() == nullptr) return;
  } else {
    process_recorder.store(Recorder::start(settings));
    if (process_recorder.load() == nullptr) return;
  }
  ::atexit(finish_recorder);
  ::at_quick_exit(finish_recorder);
  ::pthread_atfork(nullptr, nullptr, forget_in_child);
}

}  // namespace

}  // namespace warptune::survey::injected

/// The driver calls this within the program's first call of CUDA. It always returns success.
WARPTUNE_EXPORTED int InitializeInjection();
WARPTUNE_EXPORTED int InitializeInjection() {
  warptune::survey::injected::start();
  return 1;
}

/// NVTX calls this in the library that NVTX_INJECTION64_PATH names. The ranges go to the same CUPTI that
/// records the kernels, even if the program has brought its own.
WARPTUNE_EXPORTED int InitializeInjectionNvtx2(void* get_export_table);
WARPTUNE_EXPORTED int InitializeInjectionNvtx2(void* get_export_table) {
  using namespace warptune::survey::injected;
  const Settings settings = read_settings();
  const CuptiFunctions& functions = cupti(settings.cupti.data());
  if (functions.problem != nullptr || functions.initialise_nvtx == nullptr) return 0;
  return functions.initialise_nvtx(get_export_table);
}
