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
/// A graph with a fill, and with nodes for launches of blocks of 256 threads. It lives as long as the
/// program.
void* fake_graph();
void fake_add_kernel_node(void* graph, const char* name, unsigned blocks);
/// Adds a node with all of another graph.
void fake_add_child(void* graph, void* child);
/// Whether the thread was relaxed about captures in all calls that copied memory or waited, and only there.
int fake_was_relaxed();
}
