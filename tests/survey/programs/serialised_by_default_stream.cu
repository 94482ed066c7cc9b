// Planted: four streams compute. After each launch, a counter is set to zero in the default stream. Clean:
// it is set to zero in the stream of the launch.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr int kStreams = 4;
  cudaStream_t streams[kStreams];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  int* counters = nullptr;
  CHECK(cudaMalloc(&counters, kStreams * sizeof(int)));
  for (int i = 0; i < program.rounds(1600, 6400); ++i) {
    const int k = i % kStreams;
    // The kernels of a stream take turns, because serial_kernels counts rows of the same kernel.
    program.launch_turn(i / kStreams, 250.0, program.full_grid() / kStreams, streams[k]);
    CHECK(cudaMemsetAsync(&counters[k], 0, sizeof(int), program.clean() ? streams[k] : nullptr));
  }
}
