#include "base/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace warptune::base {

namespace {

Cancellation interrupted;
volatile sig_atomic_t first_signal = 0;
volatile std::int64_t first_ms = 0;  // When it came.

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// A terminal that closes may send SIGHUP more than once: by the shell and by the kernel. Session managers
// send SIGTERM beside it. So only SIGINT and SIGTERM end the program at once, and only the second of them.
void on_signal(int signal) {
  const bool is_first = first_signal == 0;
  const bool is_second = !is_first && first_signal != SIGHUP && signal != SIGHUP;
  const bool is_urgent = signal == SIGINT || now_ms() - first_ms >= InterruptGuard::kPatience.count();
  if (!interrupted.cancel() && is_second && is_urgent) ::_exit(130);
  if (is_first || first_signal == SIGHUP) {
    first_signal = signal;
    first_ms = now_ms();
  }
}

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};
struct sigaction previous_hangup {};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.reset();
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, &previous_interrupt);
  ::sigaction(SIGTERM, &action, &previous_terminate);
  ::sigaction(SIGHUP, &action, &previous_hangup);
  if (previous_hangup.sa_handler == SIG_IGN) ::sigaction(SIGHUP, &previous_hangup, nullptr);  // As by nohup.
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &previous_interrupt, nullptr);
  ::sigaction(SIGTERM, &previous_terminate, nullptr);
  ::sigaction(SIGHUP, &previous_hangup, nullptr);
}

const Cancellation& InterruptGuard::cancellation() const { return interrupted; }

void InterruptGuard::interrupt() { interrupted.cancel(); }

int InterruptGuard::signal() const { return first_signal; }

}  // namespace warptune::base
