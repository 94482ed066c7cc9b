// What the parts of the fake CUPTI share.
#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>

namespace fake {

struct State {
  std::mutex lock;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
  std::set<int> kinds;
  std::set<std::uint32_t> runtime_calls;
  std::set<std::uint32_t> driver_calls;
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t used = 0;
  std::size_t dropped = 0;
  CUpti_CallbackFunc subscriber = nullptr;
  void* subscriber_data = nullptr;
  std::set<std::uint32_t> called_back;
  std::uint64_t* image = nullptr;  // That of the range profiler: the counted launches, then their blocks.
  bool counts = false;
  bool has_size = false;         // Somebody asked for the size of its image since it was switched on.
  bool is_configured = false;    // Since the range profiler was switched on.
  bool replays_kernels = false;  // Otherwise each start of the range profiler is one pass of a range.
  int passes = 0;                // What the range has until now.
  std::uint32_t graph = 0;       // The graph whose nodes run, or 0.
  const char* device = nullptr;  // The name of the GPU, once CUDA is initialised.
};

State& state();
/// Whether the subscriber hears of these calls.
bool has_callback(CUpti_CallbackId callback);

}  // namespace fake
