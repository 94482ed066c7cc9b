// A libcuda without a GPU: the functions that capturing a launch needs. Memory of the "GPU" is the host's.
#pragma once

#include <cstddef>

extern "C" {
/// Memory of a kind of CUmemorytype, or managed memory for 0.
void* fake_allocate(std::size_t bytes, unsigned type);
/// The variable "gain" of every module.
float* fake_variable();
/// No function has a known module from now on.
void fake_hide_modules();
/// Asking for a parameter that is missing fails in an unusual way from now on.
void fake_fail_parameters();
/// Whether the thread was relaxed about captures in all calls that copied memory or waited, and only there.
int fake_was_relaxed();
}
