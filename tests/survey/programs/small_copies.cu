// Planted: each round copies 256 pieces of 1 KiB one by one. Clean: they are one copy.
#include "program.cuh"

int main(int count, char** arguments) {
  const Program program(count, arguments);
  constexpr std::size_t kPiece = 1024;
  constexpr std::size_t kPieces = 256;
  char* host = nullptr;
  char* device = nullptr;
  CHECK(cudaMallocHost(&host, kPieces * kPiece));
  CHECK(cudaMalloc(&device, kPieces * kPiece));
  std::memset(host, 1, kPieces * kPiece);
  const std::size_t size = program.clean() ? kPieces * kPiece : kPiece;
  for (int i = 0; i < program.rounds(1000, 5000); ++i) {
    for (std::size_t at = 0; at < kPieces * kPiece; at += size)
      CHECK(cudaMemcpyAsync(device + at, host + at, size, cudaMemcpyHostToDevice, nullptr));
    program.launch_three(60.0);
  }
}
