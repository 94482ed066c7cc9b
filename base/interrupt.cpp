#include "base/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace warptune::base {

namespace {

Cancellation interrupted;

void on_signal(int) {
  if (!interrupted.cancel()) ::_exit(130);
}

struct sigaction previous_interrupt {};
struct sigaction previous_terminate {};

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.reset();
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

}  // namespace warptune::base
