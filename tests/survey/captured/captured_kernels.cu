// Kernels for `warptune survey --capture`: captured_kernels MODE. Each mode checks its results, and ends with
// exit code 1 if they are wrong: a capture must not change what a program computes.
//
//   copy         `copy` reads and writes 64 MiB of device memory, each time other ones
//   tiles        `tiles` multiplies matrices in dynamic shared memory, each time the same ones
//   constants    `weigh` reads its weights from constant memory, and a variable of the device
//   structure    `scaled` has its pointers in a structure, and one of them points into an allocation
//   woven        `woven` has its input and two alternating outputs in one allocation, and a null pointer
//   in_place     `increment` changes its only buffer
//   nvrtc        `compiled` is compiled by NVRTC and launched by the driver's API
//   cooperative  `summed` is a cooperative launch
//   cluster      `turned` reads the shared memory of the other blocks of its cluster
//   second_gpu   `copy` runs on the second GPU, after launches on the first one
//   graph        the launches of `increment` are nodes of a CUDA graph
//   managed      `increment` works on managed memory
//   pinned       `increment` works on pinned memory of the host
//   texture      `sampled` reads a texture
//   large        `increment` has a buffer of 256 MiB
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels.cu"

static void check(int status, int line) {
  if (status == 0) return;
  std::fprintf(stderr, "line %d: error %d\n", line, status);
  std::exit(1);
}
#define CHECK(call) check(static_cast<int>(call), __LINE__)

// Each block writes the numbers of the next block of its cluster.
__global__ void turned(const float* from, float* to) {
  __shared__ float numbers[256];
  const auto cluster = cooperative_groups::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  numbers[threadIdx.x] = from[i];
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  to[i] = cluster.map_shared_rank(numbers, next)[threadIdx.x];
  cluster.sync();
}

constexpr int kWords = 16 << 20;  // 64 MiB.
constexpr int kBuffers = 8;       // Together they do not fit into an L2 cache.
constexpr int kThreads = 256;
constexpr int kLaunches = 50;
constexpr int kSmall = 1 << 20;

static float* buffer(int words, float value) {
  float* data = nullptr;
  const std::vector<float> host(words, value);
  CHECK(cudaMalloc(&data, words * sizeof(float)));
  CHECK(cudaMemcpy(data, host.data(), words * sizeof(float), cudaMemcpyHostToDevice));
  return data;
}

static bool all_are(const float* data, int words, float value) {
  std::vector<float> host(words);
  CHECK(cudaMemcpy(host.data(), data, words * sizeof(float), cudaMemcpyDefault));
  for (const float found : host)
    if (found != value) return false;
  return true;
}

static bool run_copy() {
  float* from[kBuffers];
  float* to[kBuffers];
  for (int i = 0; i < kBuffers; ++i) from[i] = buffer(kWords, 1.0f + i), to[i] = buffer(kWords, 0.0f);
  for (int i = 0; i < kLaunches; ++i)
    copy<<<kWords / kThreads, kThreads>>>(from[i % kBuffers], to[i % kBuffers]);
  return all_are(to[3], kWords, 4.0f);
}

static bool run_tiles() {
  constexpr int n = 1024;
  float* const a = buffer(n * n, 1.0f);
  float* const b = buffer(n * n, 2.0f);
  float* const c = buffer(n * n, 0.0f);
  constexpr int bytes = 64 << 10;  // More than without opt-in. The kernel needs 8 KiB of them.
  CHECK(cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  for (int i = 0; i < kLaunches; ++i) tiles<<<dim3(n / 32, n / 32), dim3(32, 32), bytes>>>(a, b, c, n);
  return all_are(c, n * n, 2.0f * n);
}

static bool run_constants() {
  const float values[4] = {2.0f, 2.0f, 2.0f, 2.0f};
  CHECK(cudaMemcpyToSymbol(weights, values, sizeof(values)));
  CHECK(cudaMemcpyToSymbol(bias, values, 2 * sizeof(float)));
  float* const from = buffer(kSmall, 3.0f);
  float* const to = buffer(kSmall, 0.0f);
  for (int i = 0; i < kLaunches; ++i) weigh<<<kSmall / kThreads, kThreads>>>(from, to);
  return all_are(to, kSmall, 8.0f);
}

static bool run_structure() {
  float* const from = buffer(2 * kSmall, 3.0f);
  float* const to = buffer(kSmall, 0.0f);
  for (int i = 0; i < kLaunches; ++i)
    scaled<<<kSmall / kThreads, kThreads>>>(Vectors{kSmall, 2.0f, from + kSmall / 2, to});
  return all_are(to, kSmall, 6.0f);
}

static bool run_woven() {
  float* const data = buffer(3 * kSmall, 3.0f);
  float* const parts = data + kSmall;
  for (int i = 0; i < kLaunches; ++i)
    woven<<<kSmall / kThreads, kThreads>>>(data, nullptr, parts, parts + 1, kSmall);
  std::vector<float> host(2 * kSmall);
  CHECK(cudaMemcpy(host.data(), parts, host.size() * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < 2 * kSmall; ++i)
    if (host[i] != (i % 2 == 0 ? 3.0f : -3.0f)) return false;
  return true;
}

static bool run_in_place(float* data, int words) {
  for (int i = 0; i < kLaunches; ++i) increment<<<words / kThreads, kThreads>>>(data);
  CHECK(cudaDeviceSynchronize());
  return all_are(data, words, kLaunches);
}

static bool run_managed() {
  float* data = nullptr;
  CHECK(cudaMallocManaged(&data, kSmall * sizeof(float)));
  std::memset(data, 0, kSmall * sizeof(float));
  return run_in_place(data, kSmall);
}

static bool run_pinned() {
  float* data = nullptr;
  CHECK(cudaMallocHost(&data, kSmall * sizeof(float)));
  std::memset(data, 0, kSmall * sizeof(float));
  return run_in_place(data, kSmall);
}

static bool run_graph() {
  float* const data = buffer(kSmall, 0.0f);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  increment<<<kSmall / kThreads, kThreads, 0, stream>>>(data);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < kLaunches; ++i) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  return all_are(data, kSmall, kLaunches);
}

static bool run_texture() {
  float* const from = buffer(kSmall, 3.0f);
  float* const to = buffer(kSmall, 0.0f);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {from, cudaCreateChannelDesc<float>(), kSmall * sizeof(float)};
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  for (int i = 0; i < kLaunches; ++i) sampled<<<kSmall / kThreads, kThreads>>>(texture, to);
  return all_are(to, kSmall, 3.0f);
}

static bool run_cooperative() {
  constexpr int words = 64 * kThreads;
  float* from = buffer(words, 3.0f);
  float* to = buffer(words, 3.0f);
  void* parameters[] = {&from, &to};
  for (int i = 0; i < kLaunches; ++i)
    CHECK(
        cudaLaunchCooperativeKernel(summed, dim3(words / kThreads), dim3(kThreads), parameters, 0, nullptr));
  float first = 0.0f;
  CHECK(cudaMemcpy(&first, to, sizeof(first), cudaMemcpyDefault));
  return first == 6.0f && all_are(to + 1, words - 1, 3.0f);
}

static bool run_cluster() {
  constexpr int kClusterBlocks = 4;
  float* const from = buffer(kSmall, 0.0f);
  float* const to = buffer(kSmall, 0.0f);
  std::vector<float> host(kSmall);
  for (int i = 0; i < kSmall; ++i) host[i] = static_cast<float>(i);
  CHECK(cudaMemcpy(from, host.data(), kSmall * sizeof(float), cudaMemcpyHostToDevice));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kClusterBlocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(kSmall / kThreads);
  launch.blockDim = dim3(kThreads);
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  for (int i = 0; i < kLaunches; ++i)
    CHECK(cudaLaunchKernelEx(&launch, turned, static_cast<const float*>(from), to));
  CHECK(cudaMemcpy(host.data(), to, kSmall * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < kSmall; ++i) {
    const int block = i / kThreads;
    const int next = block / kClusterBlocks * kClusterBlocks + (block + 1) % kClusterBlocks;
    if (host[i] != static_cast<float>(next * kThreads + i % kThreads)) return false;
  }
  return true;
}

static bool run_second_gpu() {
  float* const first = buffer(kSmall, 0.0f);
  if (!run_in_place(first, kSmall)) return false;
  CHECK(cudaSetDevice(1));
  return run_copy();
}

static bool run_nvrtc() {
  const char* const source =
      "extern \"C\" __global__ void compiled(const float* from, float* to, float factor, int count) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) to[i] = factor * from[i];\n"
      "}\n";
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  char option[64];
  std::snprintf(option, sizeof(option), "--gpu-architecture=sm_%d%d", properties.major, properties.minor);
  const char* const options[] = {option};
  nvrtcProgram program;
  CHECK(nvrtcCreateProgram(&program, source, "compiled.cu", 0, nullptr, nullptr));
  CHECK(nvrtcCompileProgram(program, 1, options));
  size_t size = 0;
  CHECK(nvrtcGetCUBINSize(program, &size));
  std::vector<char> cubin(size);
  CHECK(nvrtcGetCUBIN(program, cubin.data()));
  float* from = buffer(kSmall, 3.0f);
  float* to = buffer(kSmall, 0.0f);
  CUmodule module;
  CUfunction function;
  CHECK(cuModuleLoadData(&module, cubin.data()));
  CHECK(cuModuleGetFunction(&function, module, "compiled"));
  float factor = 2.0f;
  int count = kSmall;
  void* parameters[] = {&from, &to, &factor, &count};
  for (int i = 0; i < kLaunches; ++i)
    CHECK(cuLaunchKernel(function, kSmall / kThreads, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuCtxSynchronize());
  return all_are(to, kSmall, 6.0f);
}

int main(int count, char** arguments) {
  const char* const mode = count > 1 ? arguments[1] : "copy";
  const auto is = [&](const char* name) { return std::strcmp(mode, name) == 0; };
  const bool right = is("copy")          ? run_copy()
                     : is("tiles")       ? run_tiles()
                     : is("constants")   ? run_constants()
                     : is("structure")   ? run_structure()
                     : is("woven")       ? run_woven()
                     : is("in_place")    ? run_in_place(buffer(kSmall, 0.0f), kSmall)
                     : is("large")       ? run_in_place(buffer(4 * kWords, 0.0f), 4 * kWords)
                     : is("nvrtc")       ? run_nvrtc()
                     : is("cooperative") ? run_cooperative()
                     : is("cluster")     ? run_cluster()
                     : is("second_gpu")  ? run_second_gpu()
                     : is("graph")       ? run_graph()
                     : is("managed")     ? run_managed()
                     : is("pinned")      ? run_pinned()
                     : is("texture")     ? run_texture()
                                         : false;
  if (!right) std::fprintf(stderr, "%s: wrong results\n", mode);
  return right ? 0 : 1;
}
