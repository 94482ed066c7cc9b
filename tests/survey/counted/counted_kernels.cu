// Kernels whose counters are known, for `warptune survey --counters`: counted_kernels MODE. Each mode checks
// its results, and ends with exit code 1 if they are wrong: kernel replay must not change what a program
// computes.
//
//   copy       `copy` reads and writes 64 MiB of device memory, each time other ones
//   strided    `strided` reads with a stride of 128 bytes, so each load of a warp needs 32 sectors
//   in_place   `increment` adds 1 in place. A replay that did not restore memory would add more
//   graph      the launches of `copy` are nodes of a CUDA graph
//   mixed      a graph of several kernels, a fill and a copy
//   beside     a thread launches `increment`, another one a graph of it
//   threads    `increment` is launched by several threads at once, each on its own stream
//   small      many short launches of `increment` on little data
//   small_open the same after one launch of `pause`, so that counting waits for more of them
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

constexpr int kWords = 16 << 20;  // 64 MiB.
constexpr int kBuffers = 8;       // Together they do not fit into an L2 cache.
constexpr int kThreads = 256;

__global__ void copy(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void strided(const float* from, float* to, int stride) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i * stride % kWords];
}

__global__ void increment(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

// A launch that takes long enough to be among the kernels with most time.
__global__ void pause(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}

static float* buffer(int words, float value) {
  float* data = nullptr;
  const std::vector<float> host(words, value);
  CHECK(cudaMalloc(&data, words * sizeof(float)));
  CHECK(cudaMemcpy(data, host.data(), words * sizeof(float), cudaMemcpyHostToDevice));
  return data;
}

static bool all_are(const float* data, int words, float value) {
  std::vector<float> host(words);
  CHECK(cudaMemcpy(host.data(), data, words * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float found : host) {
    if (found != value) {
      std::fprintf(stderr, "expected %g, found %g\n", value, found);
      return false;
    }
  }
  return true;
}

static bool run_copies(bool with_stride, int rounds) {
  std::vector<float*> from, to;
  for (int i = 0; i < kBuffers; ++i) from.push_back(buffer(kWords, 3.0f)), to.push_back(buffer(kWords, 0.0f));
  for (int round = 0; round < rounds; ++round) {
    const int i = round % kBuffers;
    if (with_stride)
      strided<<<kWords / kThreads, kThreads>>>(from[i], to[i], 32);
    else
      copy<<<kWords / kThreads, kThreads>>>(from[i], to[i]);
  }
  CHECK(cudaDeviceSynchronize());
  return all_are(to[kBuffers - 1], kWords, 3.0f);
}

static bool run_in_place(int words, int rounds) {
  float* data = buffer(words, 0.0f);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < rounds; ++round) increment<<<words / kThreads, kThreads, 0, stream>>>(data);
  CHECK(cudaStreamSynchronize(stream));
  return all_are(data, words, static_cast<float>(rounds));
}

// Launches a graph of what `add` gives to a stream.
template <class Add>
static void launch_graphs(int launches, const Add& add) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < launches; ++i) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
}

static bool run_graph() {
  std::vector<float*> from, to;
  for (int i = 0; i < kBuffers; ++i) from.push_back(buffer(kWords, 3.0f)), to.push_back(buffer(kWords, 0.0f));
  launch_graphs(50, [&](cudaStream_t stream) {
    for (int i = 0; i < kBuffers; ++i) copy<<<kWords / kThreads, kThreads, 0, stream>>>(from[i], to[i]);
  });
  return all_are(to[kBuffers - 1], kWords, 3.0f);
}

// Each launch of the graph adds 2 to `counted`, and fills the target before it copies to it.
static bool run_mixed() {
  constexpr int kLaunches = 60;
  float* from = buffer(kWords, 3.0f);
  float* to = buffer(kWords, 0.0f);
  float* third = buffer(kWords, 0.0f);
  float* counted = buffer(kWords, 0.0f);
  CHECK(cudaDeviceSynchronize());
  launch_graphs(kLaunches, [&](cudaStream_t stream) {
    CHECK(cudaMemsetAsync(to, 0, kWords * sizeof(float), stream));
    copy<<<kWords / kThreads, kThreads, 0, stream>>>(from, to);
    increment<<<kWords / kThreads, kThreads, 0, stream>>>(counted);
    CHECK(cudaMemcpyAsync(third, to, kWords * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    increment<<<kWords / kThreads, kThreads, 0, stream>>>(counted);
  });
  return all_are(third, kWords, 3.0f) && all_are(counted, kWords, 2.0f * kLaunches);
}

static bool run_beside() {
  constexpr int kLaunches = 300;
  bool good = false;
  std::thread other([&] { good = run_in_place(1 << 22, 500); });
  float* data = buffer(1 << 20, 0.0f);
  CHECK(cudaDeviceSynchronize());
  launch_graphs(kLaunches, [&](cudaStream_t stream) {
    for (int i = 0; i < 3; ++i) increment<<<(1 << 20) / kThreads, kThreads, 0, stream>>>(data);
  });
  other.join();
  return all_are(data, 1 << 20, 3.0f * kLaunches) && good;
}

static bool run_threads() {
  bool good[4] = {};
  std::vector<std::thread> threads;
  for (bool& one : good) threads.emplace_back([&one] { one = run_in_place(1 << 20, 500); });
  for (std::thread& thread : threads) thread.join();
  return good[0] && good[1] && good[2] && good[3];
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "copy";
  CHECK(cudaFree(nullptr));
  if (std::strcmp(mode, "small_open") == 0) pause<<<1, 1>>>(40'000'000);
  const auto begin = std::chrono::steady_clock::now();
  const auto is = [&](const char* name) { return std::strcmp(mode, name) == 0; };
  const bool good = is("copy")       ? run_copies(false, 200)
                    : is("strided")  ? run_copies(true, 50)
                    : is("in_place") ? run_in_place(kWords, 40)
                    : is("graph")    ? run_graph()
                    : is("mixed")    ? run_mixed()
                    : is("beside")   ? run_beside()
                    : is("threads")  ? run_threads()
                                     : run_in_place(1 << 16, 100000);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%s: %.4f s\n", mode, elapsed.count());
  return good ? 0 : 1;
}
