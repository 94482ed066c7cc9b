#include "survey/collecting/program_window.h"

#include <fmt/format.h>
#include <time.h>

#include <cmath>

namespace warptune::survey::collecting {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t nanoseconds(const std::optional<double>& seconds) {
  return seconds ? static_cast<std::uint64_t>(std::llround(*seconds * kNanosecondsPerSecond)) : 0;
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

std::vector<std::string> ProgramWindow::variables() const {
  return {fmt::format("WARPTUNE_SURVEY_START={}", start), fmt::format("WARPTUNE_SURVEY_STOP={}", stop)};
}

ProgramWindow window_from_now(const std::optional<double>& after, const std::optional<double>& duration) {
  ProgramWindow window;
  window.began = monotonic_ns();
  window.start = window.began + nanoseconds(after);
  if (duration) window.stop = window.start + nanoseconds(duration);
  return window;
}

}  // namespace warptune::survey::collecting
