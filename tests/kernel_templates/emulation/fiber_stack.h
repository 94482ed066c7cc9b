#pragma once

// The stack of one emulated thread, and the switch from one to another.

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <cstddef>
#include <cstring>

namespace warptune::emulation {

#if defined(__x86_64__)
// Switches from one stack to another. swapcontext would need two system calls each time; under
// AddressSanitizer it would also copy the shadow of a whole stack. Callee-saved registers are saved on the
// stack itself, and only its top is stored.
extern "C" void warptune_switch_stack(void** left, void* entered);
__asm__(R"(
  .pushsection .text
  .type warptune_switch_stack, @function
warptune_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size warptune_switch_stack, . - warptune_switch_stack
  .popsection
)");

class Stack {
 public:
  /// Prepares a fiber that begins with `entry`, which must not return. The memory must be 16-byte aligned,
  /// and its size a multiple of 16.
  void prepare(char* memory, std::size_t bytes, void (*entry)()) {
    void** top = reinterpret_cast<void**>(memory + bytes) - 2;
    *top = reinterpret_cast<void*>(entry);
    top -= 6;
    std::memset(top, 0, 6 * sizeof(void*));
    top_ = top;
  }
  void leave_for(Stack& other) { warptune_switch_stack(&top_, other.top_); }

 private:
  void* top_ = nullptr;
};
#else
class Stack {
 public:
  void prepare(char* memory, std::size_t bytes, void (*entry)()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = memory;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
  }
  void leave_for(Stack& other) { swapcontext(&context_, &other.context_); }

 private:
  ucontext_t context_{};
};
#endif

}  // namespace warptune::emulation
