#include "python/native/session_thread.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/json_output/lines/output_lines.h"

namespace warptune::python::native {

namespace nb = nanobind;
namespace session = tuner::session;

namespace {

constexpr std::chrono::milliseconds kSignalInterval{50};  // How often the interpreter is asked for signals.
constexpr std::chrono::milliseconds kProgressInterval{100};  // Each evaluation gives an event.

// Carries events from the session's thread to the calling one. It keeps only the last of
// several events about the progress.
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

  void finish() {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }

  // Waits for the end, but not for long. Moves the events so far into `lines`. Returns true at the end.
  bool wait(std::vector<std::string>& lines) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSignalInterval, [&] { return finished_; });
    if (finished_ || std::chrono::steady_clock::now() - progress_told_ >= kProgressInterval) flush_progress();
    lines = std::exchange(lines_, {});
    return finished_;
  }

 private:
  void flush_progress() {
    if (!progress_) return;
    lines_.push_back(tuner::json_output::lines::event_line(*progress_));
    progress_.reset();
    progress_told_ = std::chrono::steady_clock::now();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::optional<session::SessionProgress> progress_;
  std::chrono::steady_clock::time_point progress_told_{};
  bool finished_ = false;
};

// Raises what `listen` raises, or what a signal handler of Python raises.
void deliver(const nb::callable& listen, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) listen(nb::str(line.c_str(), line.size()));
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void run_session(const nb::callable& listen, const SessionWork& work) {
  EventQueue events;
  base::Cancellation cancellation;
  std::exception_ptr failure;
  std::optional<nb::python_error> stopped;
  std::thread thread([&] {
    try {
      work(events, cancellation);
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
    if (stopped) continue;  // The session is ending, and nobody is told any more.
    try {
      deliver(listen, lines);
    } catch (nb::python_error& error) {
      stopped.emplace(std::move(error));
      cancellation.cancel();
    }
  }
  if (stopped) throw nb::python_error(std::move(*stopped));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace warptune::python::native
