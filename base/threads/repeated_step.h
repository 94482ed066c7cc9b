#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/log.h"

namespace warptune::base::threads {

/// Calls a function at intervals from a thread of its own, until it is destroyed.
class RepeatedStep {
 public:
  /// The thread asks `interval` before each pause how long it is.
  RepeatedStep(std::function<std::chrono::milliseconds()> interval, std::function<void()> step)
      : interval_(std::move(interval)), step_(std::move(step)), thread_([this] { run(); }) {}
  RepeatedStep(std::chrono::milliseconds interval, std::function<void()> step)
      : RepeatedStep([interval] { return interval; }, std::move(step)) {}
  RepeatedStep(const RepeatedStep&) = delete;
  RepeatedStep& operator=(const RepeatedStep&) = delete;
  ~RepeatedStep() {
    {
      const std::lock_guard guard(mutex_);
      ends_ = true;
    }
    wakes_.notify_all();
    thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!wakes_.wait_for(lock, interval_(), [this] { return ends_; })) {
      lock.unlock();
      try {
        step_();
      } catch (const std::exception& error) {  // The next call tries again.
        log_warning(error.what());
      }
      lock.lock();
    }
  }

  std::function<std::chrono::milliseconds()> interval_;
  std::function<void()> step_;
  std::mutex mutex_;  // Guards `ends_`.
  std::condition_variable wakes_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace warptune::base::threads
