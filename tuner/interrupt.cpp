#include "tuner/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace warptune::tuner {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void on_signal(int) {
  if (interrupted.exchange(true)) ::_exit(130);
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  install(on_signal);
}

InterruptGuard::~InterruptGuard() { install(SIG_DFL); }

const std::atomic<bool>& InterruptGuard::flag() { return interrupted; }

}  // namespace warptune::tuner
