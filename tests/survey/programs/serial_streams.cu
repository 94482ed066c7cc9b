// Planted: four streams copy up, compute and copy down, and the host waits for each stream before it gives
// the next one its work. Clean: all streams get their work at once.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr std::size_t kBytes = 8 << 20;
  constexpr int kStreams = 4;
  cudaStream_t streams[kStreams];
  char* host[kStreams];
  char* device[kStreams];
  for (int k = 0; k < kStreams; ++k) {
    CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host[k], kBytes));
    CHECK(cudaMalloc(&device[k], kBytes));
    std::memset(host[k], 1, kBytes);
  }
  for (int i = 0; i < program.rounds(2000, 4000); ++i) {
    const int k = i % kStreams;
    CHECK(cudaMemcpyAsync(device[k], host[k], kBytes, cudaMemcpyHostToDevice, streams[k]));
    program.launch_turn(i, 250.0, program.full_grid(), streams[k]);
    CHECK(cudaMemcpyAsync(host[k], device[k], kBytes, cudaMemcpyDeviceToHost, streams[k]));
    if (!program.clean()) CHECK(cudaStreamSynchronize(streams[k]));
  }
}
