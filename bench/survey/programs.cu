// Programs that a survey is measured with: `programs KIND`. Each prints lines of `NAME VALUE`. `loop_ms` is
// the wall time of its work without the start of CUDA. `kernel_event_ms` is the sum of the times of its
// kernels, from events around them. Kernels that are timed so take 200 us or more, so that the gap of about
// 1 us between an event and a kernel does not matter.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

namespace {

// Runs for a number of cycles, in one block, so that several fit beside each other.
__global__ void spin(long long cycles, int* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (out != nullptr && cycles < 0) *out = 1;
}

__global__ void nothing() {}

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Events around the work of one stream.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    CHECK(cudaEventCreate(&start_));
    CHECK(cudaEventCreate(&stop_));
    CHECK(cudaEventRecord(start_, stream_));
  }
  void stop() { CHECK(cudaEventRecord(stop_, stream_)); }
  double milliseconds() const {
    float result = 0;
    CHECK(cudaEventSynchronize(stop_));
    CHECK(cudaEventElapsedTime(&result, start_, stop_));
    return result;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

// The first launch in a stream takes the host longer than the GPU.
void warm_up(cudaStream_t stream) {
  spin<<<1, 32, 0, stream>>>(0, nullptr);
  CHECK(cudaStreamSynchronize(stream));
}

constexpr long long kMicrosecond = 1700;  // Cycles, roughly.

double sum(const std::vector<Stopwatch>& watches) {
  double total = 0;
  for (const Stopwatch& watch : watches) total += watch.milliseconds();
  return total;
}

double few_long() {
  std::vector<Stopwatch> watches;
  for (int i = 0; i < 10; ++i) {
    watches.emplace_back(nullptr);
    spin<<<1, 32>>>(20'000 * kMicrosecond, nullptr);
    watches.back().stop();
  }
  return sum(watches);
}

double many_short() {
  std::vector<Stopwatch> watches;
  for (int i = 0; i < 1000; ++i) {
    watches.emplace_back(nullptr);
    spin<<<1, 32>>>(400 * kMicrosecond, nullptr);
    watches.back().stop();
  }
  return sum(watches);
}

double several_streams() {
  std::vector<Stopwatch> watches;
  std::vector<cudaStream_t> streams(4);
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaStream_t stream : streams) warm_up(stream);
  for (int i = 0; i < 400; ++i) {
    watches.emplace_back(streams[i % 4]);
    spin<<<1, 32, 0, streams[i % 4]>>>(1000 * kMicrosecond, nullptr);
    watches.back().stop();
  }
  return sum(watches);
}

double graphs() {
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 20; ++i) spin<<<1, 32, 0, stream>>>(400 * kMicrosecond, nullptr);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  std::vector<Stopwatch> watches;
  for (int i = 0; i < 30; ++i) {
    watches.emplace_back(stream);
    CHECK(cudaGraphLaunch(executable, stream));
    watches.back().stop();
  }
  return sum(watches);
}

double overlapped_copies() {
  constexpr std::size_t kBytes = 64 << 20;
  char* host = nullptr;
  char* device = nullptr;
  cudaStream_t copies{};
  cudaStream_t kernels{};
  CHECK(cudaMallocHost(&host, kBytes));
  CHECK(cudaMalloc(&device, kBytes));
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  warm_up(kernels);
  CHECK(cudaMemcpyAsync(device, host, 1, cudaMemcpyHostToDevice, copies));
  CHECK(cudaDeviceSynchronize());
  std::vector<Stopwatch> watches;
  std::vector<Stopwatch> copy_watches;
  for (int i = 0; i < 40; ++i) {
    copy_watches.emplace_back(copies);
    CHECK(cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, copies));
    copy_watches.back().stop();
    watches.emplace_back(kernels);
    spin<<<1, 32, 0, kernels>>>(1500 * kMicrosecond, nullptr);
    watches.back().stop();
  }
  std::printf("copy_event_ms %.6f\n", sum(copy_watches));
  return sum(watches);
}

// The median of five rounds of 10^5 launches, each of about 0.3 s.
template <class Round>
double median_of_rounds(const Round& round) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double start = now_ms();
    round();
    CHECK(cudaDeviceSynchronize());
    times.push_back(now_ms() - start);
  }
  std::sort(times.begin(), times.end());
  std::printf("round_ms %.3f\nslowest_over_fastest %.3f\n", times[2], times.back() / times.front());
  return 0;
}

// Launches of an empty kernel, as fast as the host can.
double small_launches() {
  return median_of_rounds([] {
    for (int i = 0; i < 100'000; ++i) nothing<<<1, 32>>>();
  });
}

// The same for a kernel that takes some microseconds, so that the GPU is busy while the host launches.
template <int Microseconds>
double short_launches() {
  return median_of_rounds([] {
    for (int i = 0; i < 100'000; ++i) spin<<<1, 32>>>(Microseconds * kMicrosecond, nullptr);
  });
}

// The same through a graph of 100 kernels.
double small_graphs() {
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 100; ++i) nothing<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  return median_of_rounds([&] {
    for (int i = 0; i < 1000; ++i) CHECK(cudaGraphLaunch(executable, stream));
  });
}

struct Kind {
  const char* name;
  double (*run)();
};
const Kind kKinds[] = {{"few_long", few_long},
                       {"many_short", many_short},
                       {"several_streams", several_streams},
                       {"graphs", graphs},
                       {"overlapped_copies", overlapped_copies},
                       {"small_launches", small_launches},
                       {"launches_of_2_us", short_launches<2>},
                       {"launches_of_4_us", short_launches<4>},
                       {"launches_of_8_us", short_launches<8>},
                       {"small_graphs", small_graphs}};

}  // namespace

int main(int count, char** arguments) {
  for (const Kind& kind : kKinds) {
    if (count < 2 || std::strcmp(kind.name, arguments[1]) != 0) continue;
    nothing<<<1, 32>>>();
    warm_up(nullptr);
    CHECK(cudaDeviceSynchronize());
    const double start = now_ms();
    const double events = kind.run();
    CHECK(cudaDeviceSynchronize());
    std::printf("loop_ms %.3f\n", now_ms() - start);
    if (events > 0) std::printf("kernel_event_ms %.6f\n", events);
    return 0;
  }
  std::fprintf(stderr, "usage: programs KIND\n");
  return 2;
}
