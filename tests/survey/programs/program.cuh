// What the planted programs share: checks of calls, kernels of a known duration, and the time of the run.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void check(cudaError_t status, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check(call, __FILE__, __LINE__)

// Keeps every thread busy for a number of clock cycles. Programs with three kernels of equal weight use the
// numbers 0 to 2, so that no kernel dominates.
template <int kPart>
__global__ void step(long long cycles, float* sink) {
  const long long begin = clock64();
  float value = static_cast<float>(threadIdx.x + kPart);
  while (clock64() - begin < cycles) value = value * 0.999f + 1.0f;
  if (value < 0.0f) *sink = value;  // Never: it keeps the loop.
}

// A run of a program, planted or clean. It ends with a line on standard error, because `warptune survey`
// prints its own output on standard output.
class Program {
 public:
  Program(int count, char** arguments) : clean_(count > 1 && std::strcmp(arguments[1], "--clean") == 0) {
    int khz = 0;
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&sm_count_, cudaDevAttrMultiProcessorCount, 0));
    cycles_of_us_ = khz / 1000.0;
    CHECK(cudaMalloc(&sink_, sizeof(float)));
    begin_ = std::chrono::steady_clock::now();
  }
  ~Program() {
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    std::fprintf(stderr, "%s: %.3f s\n", clean_ ? "clean" : "planted", elapsed.count());
  }

  bool clean() const { return clean_; }
  // How often a loop runs, so that both siblings take about a second.
  int rounds(int planted, int clean) const { return clean_ ? clean : planted; }
  // Blocks of 256 threads that fill the GPU once.
  int full_grid() const { return 8 * sm_count_; }
  float* sink() const { return sink_; }

  template <int kPart>
  void launch(double us, int blocks, cudaStream_t stream = nullptr) const {
    step<kPart><<<blocks, 256, 0, stream>>>(static_cast<long long>(us * cycles_of_us_), sink_);
    CHECK(cudaGetLastError());
  }
  // One of three kernels, in turns.
  void launch_turn(int turn, double us, int blocks, cudaStream_t stream = nullptr) const {
    if (turn % 3 == 0) launch<0>(us, blocks, stream);
    if (turn % 3 == 1) launch<1>(us, blocks, stream);
    if (turn % 3 == 2) launch<2>(us, blocks, stream);
  }
  // All three of them on the whole GPU.
  void launch_three(double us, cudaStream_t stream = nullptr) const {
    for (int turn = 0; turn < 3; ++turn) launch_turn(turn, us, full_grid(), stream);
  }
  long long cycles(double us) const { return static_cast<long long>(us * cycles_of_us_); }

 private:
  bool clean_ = false;
  int sm_count_ = 0;
  double cycles_of_us_ = 0.0;
  float* sink_ = nullptr;
  std::chrono::steady_clock::time_point begin_;
};
