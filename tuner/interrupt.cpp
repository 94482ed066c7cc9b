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

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, &previous_interrupt);
  ::sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &previous_interrupt, nullptr);
  ::sigaction(SIGTERM, &previous_terminate, nullptr);
}

const std::atomic<bool>& InterruptGuard::flag() { return interrupted; }

}  // namespace warptune::tuner
