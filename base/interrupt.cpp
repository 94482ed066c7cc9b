#include "base/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace warptune::base {

namespace {

Cancellation interrupted;
volatile sig_atomic_t first_signal = 0;

void on_signal(int signal) {
  if (!interrupted.cancel()) ::_exit(130);
  first_signal = signal;
}

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.reset();
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, &previous_interrupt);
  ::sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &previous_interrupt, nullptr);
  ::sigaction(SIGTERM, &previous_terminate, nullptr);
}

const Cancellation& InterruptGuard::cancellation() const { return interrupted; }

int InterruptGuard::signal() const { return first_signal; }

}  // namespace warptune::base
