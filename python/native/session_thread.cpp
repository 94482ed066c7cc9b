#include "python/native/session_thread.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/json_output/lines/output_lines.h"

namespace warptune::python::native {

namespace nb = nanobind;
namespace session = tuner::session;

namespace {

constexpr std::chrono::milliseconds kSignalInterval{50};  // How often Python's signal handlers are called.
// Each evaluation gives an event about the progress. Not more than one of them is passed on in this time.
constexpr std::chrono::milliseconds kProgressInterval{100};

// Passes events from the session's thread to the calling one. It keeps only the newest event about the
// progress.
class EventQueue : public session::SessionListener {
 public:
  void on_event(const session::SessionEvent& event) override {
    if (std::holds_alternative<session::MeasurementStored>(event) ||
        std::holds_alternative<session::CountersStored>(event))
      return;
    const std::scoped_lock lock(mutex_);
    if (const auto* progress = std::get_if<session::SessionProgress>(&event)) {
      progress_ = *progress;
      return;
    }
    flush_progress();
    lines_.push_back(tuner::json_output::lines::event_line(event));
  }

  // Must be called after the last event. It takes no lock, so it cannot fail. If the other thread is just
  // beginning to wait, it may miss the notification, but it notices the end after `kSignalInterval`.
  void finish() noexcept {
    finished_ = true;
    changed_.notify_one();
  }

  // Called by the session's thread (`OnCaller`): offers the task to the calling thread and waits for its end.
  void run_on_caller(const std::function<void()>& task, const base::Cancellation& cancellation) {
    std::unique_lock lock(mutex_);
    offered_ = &task;
    changed_.notify_one();
    while (offered_ != nullptr && !cancellation.is_cancelled()) task_changed_.wait_for(lock, kSignalInterval);
    offered_ = nullptr;
    task_changed_.wait(lock, [&] { return !task_runs_; });
    if (cancellation.is_cancelled()) throw base::WorkError("the program's check has ended the tuning");
  }

  // Runs the task that the session's thread has offered, if there is one. Throws what the task throws.
  void run_task(base::Cancellation& cancellation) {
    const std::function<void()>* task = take_task();
    if (task == nullptr) return;
    try {
      (*task)();
    } catch (...) {
      cancellation.cancel();  // The task has no result, so the session's thread must not continue.
      end_task();
      throw;
    }
    end_task();
  }

  // Waits for the session's end or for a task, at most `kSignalInterval`. Moves the events so far into
  // `lines`. Returns true if the session has ended.
  bool wait(std::vector<std::string>& lines) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSignalInterval, [&] { return finished_.load() || offered_ != nullptr; });
    const bool finished = finished_;
    if (finished || std::chrono::steady_clock::now() - progress_sent_ >= kProgressInterval) flush_progress();
    lines = std::exchange(lines_, {});
    return finished;
  }

 private:
  const std::function<void()>* take_task() {
    const std::scoped_lock lock(mutex_);
    task_runs_ = offered_ != nullptr;
    task_changed_.notify_one();
    return std::exchange(offered_, nullptr);
  }

  void end_task() {
    const std::scoped_lock lock(mutex_);
    task_runs_ = false;
    task_changed_.notify_one();
  }

  void flush_progress() {
    if (!progress_) return;
    lines_.push_back(tuner::json_output::lines::event_line(*progress_));
    progress_.reset();
    progress_sent_ = std::chrono::steady_clock::now();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::optional<session::SessionProgress> progress_;
  std::chrono::steady_clock::time_point progress_sent_{};
  std::atomic<bool> finished_ = false;
  std::condition_variable task_changed_;
  const std::function<void()>* offered_ = nullptr;  // A task that the calling thread has not begun.
  bool task_runs_ = false;
};

// Runs work on a thread. If the work has not ended, the destructor cancels it and waits for its end.
class WorkThread {
 public:
  template <class Work>
  WorkThread(base::Cancellation& cancellation, Work work)
      : cancellation_(cancellation), thread_(std::move(work)) {}
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  ~WorkThread() {
    if (!thread_.joinable()) return;
    cancellation_.cancel();
    const nb::gil_scoped_release free;
    thread_.join();
  }

  void join() { thread_.join(); }

 private:
  base::Cancellation& cancellation_;
  std::thread thread_;
};

// Raises what `listen` raises.
void deliver(const nb::callable& listen, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) listen(nb::str(line.c_str(), line.size()));
}

// Raises what a signal handler of Python raises.
void handle_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void run_session(const nb::callable& listen, const SessionWork& work) {
  EventQueue events;
  base::Cancellation cancellation;
  std::exception_ptr failure;
  std::optional<nb::python_error> stopped;
  WorkThread thread(cancellation, [&, caller = std::this_thread::get_id()] {
    const tuner::gpus::TurnsOf turns(caller);  // The caller waits, and `listen` may begin another session.
    try {
      work(events, cancellation,
           [&](const std::function<void()>& task) { events.run_on_caller(task, cancellation); });
    } catch (...) {
      failure = std::current_exception();
    }
    events.finish();
  });
  for (bool finished = false; !finished;) {
    std::vector<std::string> lines;
    {
      const nb::gil_scoped_release free;
      finished = events.wait(lines);
      if (finished) thread.join();
    }
    try {
      if (!stopped) deliver(listen, lines);  // A session that was cancelled delivers no more events.
      if (!stopped) events.run_task(cancellation);
      handle_signals();
    } catch (nb::python_error& error) {
      stopped.emplace(std::move(error));
      cancellation.cancel();
    }
  }
  if (stopped) throw nb::python_error(std::move(*stopped));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace warptune::python::native
