#include "survey/injected/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace warptune::survey::injected {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kLongestWait = 2 * kSecond;  // At the end of the program, for a thread that is stuck.
constexpr std::uint64_t kPoll = kMillisecond / 10;
constexpr std::size_t kStackBytes = 256 << 10U;

// The recorder whose buffers CUPTI fills. CUPTI's callbacks have no argument for it.
std::atomic<Recorder*> running{nullptr};
std::atomic<bool> has_exit_handler{false};

timespec to_timespec(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  Recorder* const current = running.load(std::memory_order_acquire);
  // CUDA has been initialised by now. Its own exit handlers run after this one, and that of `injection.cpp`
  // runs last.
  if (!has_exit_handler.exchange(true))
    std::atexit([] { running.load(std::memory_order_acquire)->finish(); });
  *buffer = current->take_buffer();
  *bytes = *buffer == nullptr ? 0 : current->buffer_bytes();
  *max_records = 0;
}

void CUPTIAPI complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                              std::size_t valid_bytes) {
  running.load(std::memory_order_acquire)->add_buffer(buffer, valid_bytes);
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

collecting::RawHeader header_of_this_process(const CuptiFunctions& functions, std::int32_t driver_version) {
  collecting::RawHeader header;
  header.size = sizeof(header);
  header.pid = ::getpid();
  header.start = monotonic_ns();
  header.driver_version = driver_version;
  header.cupti_version = static_cast<std::int32_t>(functions.version);
  header.checksum = collecting::raw_checksum(&header, offsetof(collecting::RawHeader, checksum), 0);
  return header;
}

Recorder::Recorder(const Settings& settings, const CuptiFunctions& cupti)
    : settings_(settings),
      cupti_(cupti),
      window_{settings.start, settings.stop},
      pid_(::getpid()),
      tracing_(cupti, settings.traced),
      pool_(settings.buffer_bytes) {}

Recorder* Recorder::start(const Settings& settings) {
  const CuptiFunctions& functions = cupti(settings.cupti.data());
  const collecting::RawHeader header = header_of_this_process(functions, driver_version());
  void* const memory = std::malloc(sizeof(Recorder));
  if (memory == nullptr) return nullptr;
  auto* const recorder = new (memory) Recorder(settings, functions);
  if (!recorder->writer_.create(settings.folder.data(), header, settings.limit, settings.keep_free_bytes))
    return nullptr;
  recorder->write_command();
  running.store(recorder, std::memory_order_release);
  const char* problem = functions.problem != nullptr ? functions.problem : recorder->prepare_cupti();
  if (problem != nullptr) {
    recorder->write_problem(problem);
    return recorder;
  }
  recorder->can_collect_ = true;
  recorder->keep_window(monotonic_ns());
  recorder->start_thread();
  return recorder;
}

const char* Recorder::prepare_cupti() {
  cupti_.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  const auto set_flag = [&](CUpti_ActivityAttribute attribute, std::uint8_t value) {
    std::size_t bytes = sizeof(value);
    cupti_.cuptiActivitySetAttribute(attribute, &bytes, &value);
  };
  set_flag(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
  if (settings_.pinned) set_flag(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, 1);
  if (std::size_t size = settings_.device_buffer_bytes; size > 0) {
    std::size_t bytes = sizeof(size);
    cupti_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &size);
  }
  if (settings_.shared_buffers) set_flag(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
  if (cupti_.cuptiActivityRegisterCallbacks(request_buffer, complete_buffer) != CUPTI_SUCCESS)
    return "CUPTI refuses to record, probably because another profiler uses it.";
  // Registering the callback a second time would spoil the times of kernels (pytorch issue 192021).
  if (cupti_.cuptiActivityRegisterTimestampCallback(monotonic_ns) != CUPTI_SUCCESS)
    return "CUPTI refuses the clock of the survey, so nothing was recorded.";
  tracing_.list_calls();
  return nullptr;
}

void Recorder::write_command() {
  std::array<char, 8192> text{};
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  if (bytes > 0) writer_.text(collecting::RawChunk::kCommand, text.data(), static_cast<std::size_t>(bytes));
}

template <class IsDone>
bool Recorder::wait_while_writing(const IsDone& is_done) {
  std::uint64_t written = buffers_written_;
  std::uint64_t until = monotonic_ns() + kLongestWait;
  while (!is_done()) {
    if (is_stuck_) return false;
    const std::uint64_t now = monotonic_ns();
    if (const std::uint64_t more = buffers_written_; more != written) {
      written = more;
      until = now + kLongestWait;
    }
    if (now >= until) is_stuck_ = true;
    const timespec pause = to_timespec(kPoll);
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

bool Recorder::lock_writer() {
  if (!is_ending_) return ::pthread_mutex_lock(&writer_lock_) == 0;
  return wait_while_writing([&] { return ::pthread_mutex_trylock(&writer_lock_) == 0; });
}

void Recorder::write_problem(const char* text) {
  if (!lock_writer()) return;
  writer_.text(collecting::RawChunk::kProblem, text, std::strlen(text));
  ::pthread_mutex_unlock(&writer_lock_);
}

std::uint8_t* Recorder::take_buffer() {
  if (pid_ == 0) return nullptr;
  std::uint8_t* const buffer = pool_.take();
  if (buffer != nullptr) ++buffers_given_;
  return buffer;
}

void Recorder::add_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  --buffers_given_;
  if (pid_ == 0 || !lock_writer()) return;
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 &&
         cupti_.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    add_activity(*record, window_, tracing_, writer_);
  }
  std::size_t dropped = 0;
  if (cupti_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS)
    writer_.add_dropped(dropped);
  writer_.flush(monotonic_ns());
  ++buffers_written_;
  if (writer_.gave_up()) gave_up_ = true;
  ::pthread_mutex_unlock(&writer_lock_);
  pool_.give_back(buffer, valid_bytes);
}

// The periods grow from 20 ms by a quarter each.
std::uint64_t Recorder::next_period_ns() {
  constexpr std::uint64_t kFirst = 20 * kMillisecond;
  const std::uint64_t longest = settings_.period_ms * kMillisecond;
  period_ns_ = std::min(period_ns_ == 0 ? kFirst : period_ns_ + period_ns_ / 4, longest);
  return period_ns_;
}

std::uint64_t Recorder::keep_window(std::uint64_t now) {
  if (now < window_.start) return window_.start;
  const bool is_over = gave_up_ || (window_.stop != 0 && now >= window_.stop);
  if (!collects_ && !is_over) {
    collects_ = true;
    const CUptiResult result = tracing_.enable(thread_runs_);  // The thread comes after `start`.
    if (result != CUPTI_SUCCESS) {
      const char* name = nullptr;
      cupti_.cuptiGetResultString(result, &name);
      std::array<char, 256> text{};
      std::snprintf(text.data(), text.size(), "CUPTI refuses to record some activity (%s).",
                    name == nullptr ? "unknown error" : name);
      write_problem(text.data());
    }
  } else if (collects_ && is_over) {
    collects_ = false;
    tracing_.disable();
  }
  const std::uint64_t next = now + next_period_ns();
  return collects_ && window_.stop != 0 && window_.stop < next ? window_.stop : next;
}

void Recorder::start_thread() {
  pthread_condattr_t clock{};
  pthread_attr_t attributes{};
  ::pthread_condattr_init(&clock);
  ::pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  ::pthread_cond_init(&thread_changed_, &clock);
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // The program's own threads receive its signals.
  pthread_t thread{};
  const auto entry = [](void* recorder) -> void* {
    static_cast<Recorder*>(recorder)->run();
    return nullptr;
  };
  thread_runs_ = true;
  const bool started = ::pthread_create(&thread, &attributes, entry, this) == 0;
  if (!started) thread_runs_ = false;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    ::pthread_setname_np(thread, "warptune-survey");
  } else if (!collects_) {
    write_problem("No thread could be started to begin the survey after its delay, so nothing was recorded.");
  }
  ::pthread_attr_destroy(&attributes);
  ::pthread_condattr_destroy(&clock);
}

void Recorder::run() {
  ::pthread_mutex_lock(&thread_lock_);
  while (!thread_should_stop_) {
    const timespec until = to_timespec(keep_window(monotonic_ns()));
    if (!thread_should_stop_) ::pthread_cond_timedwait(&thread_changed_, &thread_lock_, &until);
    if (thread_should_stop_) break;
    ::pthread_mutex_unlock(&thread_lock_);
    cupti_.cuptiActivityFlushAll(0);
    ::pthread_mutex_lock(&thread_lock_);
  }
  ::pthread_mutex_unlock(&thread_lock_);
  thread_runs_ = false;
}

bool Recorder::stop_thread() {
  thread_should_stop_ = true;
  return wait_while_writing([&] {
    if (thread_runs_ && ::pthread_mutex_trylock(&thread_lock_) == 0) {
      ::pthread_cond_broadcast(&thread_changed_);
      ::pthread_mutex_unlock(&thread_lock_);
    }
    return !thread_runs_;
  });
}

void Recorder::finish() {
  if (pid_ != ::getpid()) return;
  is_ending_ = true;
  // Our thread is stuck within CUPTI if it does not stop, and may have locked it.
  if (can_collect_ && stop_thread()) {
    cupti_.cuptiActivityFlushAll(0);
    cupti_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  if (!lock_writer()) return;
  writer_.end(monotonic_ns(), static_cast<std::uint64_t>(std::max<std::int64_t>(buffers_given_, 0)));
  ::pthread_mutex_unlock(&writer_lock_);
}

}  // namespace warptune::survey::injected
