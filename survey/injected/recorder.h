// Records what one process does on the GPUs, from its first call of CUDA to its end.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "survey/injected/activity_records.h"
#include "survey/injected/buffer_pool.h"
#include "survey/injected/cupti_functions.h"
#include "survey/injected/raw_writer.h"
#include "survey/injected/settings.h"
#include "survey/injected/tracing.h"

namespace warptune::survey::injected {

/// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t monotonic_ns();
/// The header of a stream that this process writes. A `driver_version` of 0 is unknown.
collecting::RawHeader header_of_this_process(const CuptiFunctions& functions,
                                             std::int32_t driver_version = 0);

/// The recorder of this process. There is at most one. It is never destroyed, because CUPTI and the program's
/// exit handlers call it until the process ends.
class Recorder {
 public:
  /// Creates the stream of this process and begins to record. What fails is written into the stream. Returns
  /// null if there is no stream.
  static Recorder* start(const Settings& settings);

  /// Writes all that CUPTI has, and the record of the end. It may be called more than once. It does nothing
  /// in a child that the process forked. If another thread is stuck in a write, the record of the end and the
  /// last records are missing, because the program must end.
  void finish();
  /// In a child that the process forked: nothing is recorded there, and no lock is taken, because a thread
  /// that the child lacks may have held it.
  void forget_process() { pid_ = 0; }

  /// Null if there is no memory, and in a child that the process forked.
  std::uint8_t* take_buffer();
  std::size_t buffer_bytes() const { return pool_.buffer_bytes(); }
  void add_buffer(std::uint8_t* buffer, std::size_t valid_bytes);

 private:
  Recorder(const Settings& settings, const CuptiFunctions& cupti);
  /// Returns why nothing can be recorded, as a sentence, or null.
  const char* prepare_cupti();
  void write_command();
  void start_thread();
  void run();
  /// Waits until `is_done`, as long as records are written and two seconds more. Returns whether it is done.
  template <class IsDone>
  bool wait_while_writing(const IsDone& is_done);
  /// After `finish` began, it returns false if another thread seems to keep the lock for ever.
  bool lock_writer();
  /// Begins and ends collecting when it is time. Returns the next time at which there is something to do.
  std::uint64_t keep_window(std::uint64_t now);
  std::uint64_t next_period_ns();
  bool stop_thread();
  void write_problem(const char* text);

  const Settings settings_;
  const CuptiFunctions& cupti_;
  const Window window_;
  std::atomic<pid_t> pid_;
  Tracing tracing_;
  BufferPool pool_;
  std::atomic<std::int64_t> buffers_given_{0};  ///< Those that CUPTI has.
  pthread_mutex_t writer_lock_ = PTHREAD_MUTEX_INITIALIZER;
  RawWriter writer_;
  std::atomic<std::uint64_t> buffers_written_{0};
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> gave_up_{false};   ///< Nothing more can be written.
  std::atomic<bool> is_stuck_{false};  ///< A thread did not end a write.

  bool can_collect_ = false;
  bool collects_ = false;
  std::uint64_t period_ns_ = 0;  ///< The last one. The thread alone uses it.
  pthread_mutex_t thread_lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t thread_changed_{};
  std::atomic<bool> thread_runs_{false};
  std::atomic<bool> thread_should_stop_{false};
};

}  // namespace warptune::survey::injected
