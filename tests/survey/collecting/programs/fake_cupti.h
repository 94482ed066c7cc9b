// A libcupti without a GPU, for programs of the tests. It has the functions of CUPTI that the injected
// library calls, and these functions, with which a program says what "happened". A record whose kind is not
// enabled is ignored, as CUPTI does it. Times are in nanoseconds of the clock that was registered.
#pragma once

#include <cstdint>

extern "C" {
/// The registered clock, or 0.
std::uint64_t fake_now();
void fake_kernel(const char* name, std::uint32_t blocks, std::uint64_t start, std::uint64_t end,
                 std::uint32_t correlation);
void fake_copy(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
void fake_fill(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
/// A call by its name in the list of `fake_cupti.cpp`, such as `cudaLaunchKernel_v7000`. The thread is the
/// caller.
void fake_call(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t correlation);
void fake_range(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t number);
/// CUDA is initialised for a GPU of this name, and its context is created. It is called once at most.
void fake_device(const char* name);
/// Counts as dropped by CUPTI.
void fake_drop(std::uint64_t records);
/// The records that were dropped since somebody last asked CUPTI.
std::uint64_t fake_dropped();
/// Gives what is recorded to the client.
void fake_flush();
/// The driver's call of a launch, of which a subscriber hears. If counters are read, `kernels` launches are
/// counted in it: 1, or more if those of other threads come between.
void fake_driver_launch(const char* name, std::uint32_t blocks, int kernels);
/// The same for one launch. `work` happens between the beginning and the end of the call.
void fake_launch_between(const char* name, std::uint32_t blocks, void (*work)());
/// A launch with these parameters of the driver's call. `work` is what the kernel does.
void fake_launch_with(const char* name, void* parameters, void (*work)());
/// The driver loads an image of code.
void fake_load_module(const void* image, std::uint64_t bytes);
/// Whether a subscriber hears of launches.
int fake_calls_back();
/// The call that begins or ends the capture of a stream.
void fake_capture(int begins);
/// The driver makes a graph ready for launches. The handles are those of the fake driver.
void fake_graph_instantiate(void* executable, void* graph);
/// The driver updates it to another graph.
void fake_graph_update(void* executable, void* graph);
/// The driver launches it. `work` happens between the beginning and the end of the call, unless it is null.
/// Returns 0 if the graph does not run: during the replay of a kernel.
int fake_graph_launch(void* executable, void (*work)());
/// Kernels that follow are nodes of a graph with this number, or of none for 0.
void fake_nodes_of(std::uint32_t graph);
/// Whether kernels are recorded now.
int fake_takes_kernels();
}
