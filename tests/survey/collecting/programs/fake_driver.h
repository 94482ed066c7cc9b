// A libcuda without a GPU: the functions that capturing a launch needs. Memory of the "GPU" is the host's.
#pragma once

#include <cstddef>

extern "C" {
/// Memory of a kind of CUmemorytype, or managed memory for 0.
void* fake_allocate(std::size_t bytes, unsigned type);
/// The variable "gain" of every module.
float* fake_variable();
}
