// Runs a kernel twice on the same inputs, and compares the outputs and the times. Once the exported file
// launches it. Once the machine code of the tool runs with the numbers of the tool's launch plan.
// The program that includes this file has nothing of warptune beside the exported file.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace exported_case {

enum class Kind { in, out, inout, scratch, scalar, map };

struct Argument {
  const char* name;
  Kind kind;
  const char* type;
  std::size_t bytes;
  bool zeroed;
  const char* symbol;                 // The variable's symbol in the machine code; "" for a parameter.
  std::vector<unsigned char> scalar;  // Its bytes.
  int of;                             // Map: the index of its buffer.
  bool encoded;                       // Map: false means 128 zero bytes.
  std::vector<cuuint64_t> shape;
  std::vector<cuuint64_t> pitch_bytes;
  std::vector<cuuint32_t> box;
  int swizzle_bytes;
  double absolute;  // The tolerance of an output.
  double relative;
};

struct Launch {
  const char* symbol;
  unsigned grid[3], block[3], cluster[3];
  unsigned shared_bytes;
  bool cooperative;
};

struct Case {
  const char* name;
  bool nondeterministic;
  std::vector<Argument> arguments;
  std::vector<Launch> launches;
};

// `pointers[i]` is the place of argument i; a file launches with them and a workspace.
using ExportedLaunch =
    std::function<cudaError_t(cudaStream_t, const std::vector<void*>&, void*, std::size_t)>;
using Prepare = std::function<cudaError_t(cudaStream_t, const std::vector<void*>&)>;

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
inline void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "";
  cuGetErrorString(result, &text);
  std::printf("%s: %s\n", what, text);
  std::exit(3);
}

inline std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    std::printf("%s cannot be read\n", path.c_str());
    std::exit(3);
  }
  return bytes;
}

inline bool is_output(const Argument& argument) {
  return argument.kind == Kind::out || argument.kind == Kind::inout;
}

__global__ void wait_ns(unsigned long long ns) {
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < ns);
}

// One set of buffers: the inputs may be shared.
struct Buffers {
  std::vector<void*> places;
  char* scratch = nullptr;
  std::size_t zeroed_bytes = 0;
};

inline Buffers make_buffers(const Case& one, const Buffers* inputs) {
  Buffers buffers;
  buffers.places.resize(one.arguments.size(), nullptr);
  std::size_t scratch_bytes = 0;
  std::vector<std::size_t> offsets(one.arguments.size(), 0);
  for (const bool zeroed : {true, false}) {
    for (std::size_t i = 0; i < one.arguments.size(); ++i) {
      const Argument& argument = one.arguments[i];
      if (argument.kind != Kind::scratch || argument.zeroed != zeroed) continue;
      offsets[i] = scratch_bytes;
      if (zeroed) buffers.zeroed_bytes = scratch_bytes + argument.bytes;
      scratch_bytes += (argument.bytes + 255) / 256 * 256;
    }
  }
  if (scratch_bytes > 0)
    check(cudaMalloc(reinterpret_cast<void**>(&buffers.scratch), scratch_bytes), "cudaMalloc");
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Argument& argument = one.arguments[i];
    if (argument.kind == Kind::scalar || argument.kind == Kind::map) continue;
    if (argument.kind == Kind::scratch) {
      buffers.places[i] = buffers.scratch + offsets[i];
    } else if (argument.kind == Kind::in && inputs != nullptr) {
      buffers.places[i] = inputs->places[i];
    } else {
      check(cudaMalloc(&buffers.places[i], argument.bytes), "cudaMalloc");
    }
  }
  return buffers;
}

// Inputs get their contents, outputs a pattern. Inputs that `filled` shares have theirs already.
inline void fill(const Case& one, Buffers& buffers, const std::string& folder, const Buffers* filled) {
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Argument& argument = one.arguments[i];
    if (argument.kind == Kind::in && filled != nullptr) continue;
    if (argument.kind == Kind::out) check(cudaMemset(buffers.places[i], 0xCD, argument.bytes), "cudaMemset");
    if (argument.kind != Kind::in && argument.kind != Kind::inout) continue;
    const std::vector<char> bytes = read(folder + "/argument_" + std::to_string(i) + ".bin");
    check(cudaMemcpy(buffers.places[i], bytes.data(), argument.bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
}

// The tool's machine code, launched with the tool's numbers.
class ToolsLaunch {
 public:
  ToolsLaunch(const Case& one, const std::string& folder, const Buffers& buffers)
      : case_(one), buffers_(buffers) {
    const std::vector<char> code = read(folder + "/kernel.cubin");
    check(cuModuleLoadData(&module_, code.data()), "cuModuleLoadData");
    maps_.resize(one.arguments.size());
    for (std::size_t i = 0; i < one.arguments.size(); ++i) {
      const Argument& argument = one.arguments[i];
      if (argument.kind == Kind::map && argument.encoded) encode(argument, maps_[i]);
      if (*argument.symbol != '\0') copy_to_variable(argument, buffers.places[i]);
    }
    for (std::size_t i = 0; i < one.arguments.size(); ++i) add_parameter(i);
    for (const Launch& launch : one.launches) {
      CUfunction function = nullptr;
      check(cuModuleGetFunction(&function, module_, launch.symbol), launch.symbol);
      if (launch.shared_bytes > 0) {
        check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(launch.shared_bytes)),
              "shared memory");
      }
      check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "cluster");
      functions_.push_back(function);
    }
  }

  void operator()(cudaStream_t stream) {
    if (buffers_.zeroed_bytes > 0)
      check(cudaMemsetAsync(buffers_.scratch, 0, buffers_.zeroed_bytes, stream), "cudaMemsetAsync");
    for (std::size_t i = 0; i < functions_.size(); ++i) enqueue(case_.launches[i], functions_[i], stream);
  }

 private:
  void encode(const Argument& argument, CUtensorMap& map) {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    if (std::strcmp(argument.type, "f16") == 0) type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    if (std::strcmp(argument.type, "bf16") == 0) type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const CUtensorMapSwizzle swizzle = argument.swizzle_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : argument.swizzle_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : argument.swizzle_bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                                      : CU_TENSOR_MAP_SWIZZLE_NONE;
    const std::vector<cuuint32_t> steps(argument.box.size(), 1);
    check(cuTensorMapEncodeTiled(&map, type, static_cast<cuuint32_t>(argument.shape.size()),
                                 buffers_.places[static_cast<std::size_t>(argument.of)],
                                 argument.shape.data(), argument.pitch_bytes.data(), argument.box.data(),
                                 steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
  }
  void copy_to_variable(const Argument& argument, void* from) {
    CUdeviceptr variable = 0;
    std::size_t bytes = 0;
    check(cuModuleGetGlobal(&variable, &bytes, module_, argument.symbol), argument.symbol);
    check(cuMemcpyDtoD(variable, reinterpret_cast<CUdeviceptr>(from), argument.bytes), "cuMemcpyDtoD");
  }
  void add_parameter(std::size_t i) {
    const Argument& argument = case_.arguments[i];
    if (*argument.symbol != '\0') return;
    if (argument.kind == Kind::scalar) {
      parameters_.push_back(const_cast<unsigned char*>(argument.scalar.data()));
    } else if (argument.kind == Kind::map) {
      parameters_.push_back(&maps_[i]);
    } else {
      parameters_.push_back(const_cast<void**>(&buffers_.places[i]));
    }
  }
  void enqueue(const Launch& launch, CUfunction function, cudaStream_t stream) {
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config{};
    config.gridDimX = launch.grid[0], config.gridDimY = launch.grid[1], config.gridDimZ = launch.grid[2];
    config.blockDimX = launch.block[0], config.blockDimY = launch.block[1],
    config.blockDimZ = launch.block[2];
    config.sharedMemBytes = launch.shared_bytes;
    config.hStream = stream;
    config.attrs = attributes;
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
      CUlaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = launch.cluster[0];
      cluster.value.clusterDim.y = launch.cluster[1];
      cluster.value.clusterDim.z = launch.cluster[2];
    }
    if (launch.cooperative) {
      CUlaunchAttribute& cooperative = attributes[config.numAttrs++];
      cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      cooperative.value.cooperative = 1;
    }
    check(cuLaunchKernelEx(&config, function, parameters_.data(), nullptr), launch.symbol);
  }

  const Case& case_;
  const Buffers& buffers_;
  CUmodule module_ = nullptr;
  std::vector<CUtensorMap> maps_;
  std::vector<void*> parameters_;
  std::vector<CUfunction> functions_;
};

template <class T>
double as_double(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
std::size_t beyond_tolerance(const std::vector<char>& a, const std::vector<char>& b,
                             const Argument& argument) {
  std::size_t beyond = 0;
  for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
    const double x = as_double<T>(&a[at]);
    const double reference = as_double<T>(&b[at]);
    const bool both_nan = std::isnan(x) && std::isnan(reference);
    if (!both_nan &&
        !(std::fabs(x - reference) <= argument.absolute + argument.relative * std::fabs(reference)))
      ++beyond;
  }
  return beyond;
}

inline std::size_t elements_beyond(const std::vector<char>& a, const std::vector<char>& b,
                                   const Argument& argument) {
  const std::string type = argument.type;
  if (type == "f16") return beyond_tolerance<__half>(a, b, argument);
  if (type == "bf16") return beyond_tolerance<__nv_bfloat16>(a, b, argument);
  if (type == "f32") return beyond_tolerance<float>(a, b, argument);
  if (type == "f64") return beyond_tolerance<double>(a, b, argument);
  return beyond_tolerance<unsigned char>(a, b, argument);  // Integers are exact.
}

// Returns what the outputs of two runs have in common: "same bits", "within tolerance" or "differ".
inline const char* compare(const Case& one, const Buffers& a, const Buffers& b) {
  const char* verdict = "same bits";
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Argument& argument = one.arguments[i];
    if (!is_output(argument)) continue;
    std::vector<char> left(argument.bytes), right(argument.bytes);
    check(cudaMemcpy(left.data(), a.places[i], argument.bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(right.data(), b.places[i], argument.bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const bool untouched =
        std::all_of(left.begin(), left.end(), [](char c) { return static_cast<unsigned char>(c) == 0xCD; });
    if (untouched && argument.kind == Kind::out) return "differ (nothing was written)";
    if (left == right) continue;
    if (elements_beyond(left, right, argument) > 0) return "differ";
    verdict = "within tolerance";
  }
  return verdict;
}

// Times one launch from a flushed L2 cache, in ns. The GPU waits first, so that the host is ahead of it.
template <class Function>
double time_of(Function&& launch, cudaStream_t stream, void* flushed, std::size_t flush_bytes) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
  }
  check(cudaMemsetAsync(flushed, 1, flush_bytes, stream), "cudaMemsetAsync");
  wait_ns<<<1, 1, 0, stream>>>(200000);
  check(cudaEventRecord(begin, stream), "cudaEventRecord");
  launch();
  check(cudaEventRecord(end, stream), "cudaEventRecord");
  check(cudaStreamSynchronize(stream), "a launch");
  float ms = 0.0F;
  check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Inputs that are wrong must be refused, and nothing may be launched then. Returns how many were not.
inline int wrong_inputs(const Case& one, const ExportedLaunch& launch, const Buffers& buffers,
                        void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  int faults = 0;
  const auto expect = [&](cudaError_t error, cudaError_t wanted, const char* what) {
    if (error == wanted) return;
    ++faults;
    std::printf("%s: %s gave '%s', expected '%s'\n", one.name, what, cudaGetErrorName(error),
                cudaGetErrorName(wanted));
  };
  if (workspace_bytes > 0) {
    expect(launch(stream, buffers.places, workspace, workspace_bytes - 1), cudaErrorInvalidValue,
           "a small workspace");
    expect(launch(stream, buffers.places, static_cast<char*>(workspace) + 8, workspace_bytes),
           cudaErrorMisalignedAddress, "a misaligned workspace");
  }
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Argument& argument = one.arguments[i];
    if (argument.kind == Kind::scratch || argument.kind == Kind::scalar || argument.kind == Kind::map)
      continue;
    if (*argument.symbol != '\0') continue;
    std::vector<void*> places = buffers.places;
    places[i] = nullptr;
    expect(launch(stream, places, workspace, workspace_bytes), cudaErrorInvalidValue, "a null pointer");
    places[i] = static_cast<char*>(buffers.places[i]) + 1;
    if (argument.type[1] == '8') continue;  // Bytes of short buffers may be anywhere.
    expect(launch(stream, places, workspace, workspace_bytes), cudaErrorMisalignedAddress,
           "a misaligned pointer");
  }
  return faults;
}

inline int run(const Case& one, const std::string& folder, const ExportedLaunch& launch,
               const Prepare& prepare, std::size_t workspace_bytes,
               const std::function<const char*()>& reason) {
  check(cudaFree(nullptr), "cudaFree");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  Buffers tools = make_buffers(one, nullptr);
  fill(one, tools, folder, nullptr);
  Buffers exported = make_buffers(one, &tools);
  fill(one, exported, folder, &tools);
  void* workspace = nullptr;
  if (workspace_bytes > 0) {
    check(cudaMalloc(&workspace, workspace_bytes), "cudaMalloc");
    check(cudaMemset(workspace, 0xCD, workspace_bytes), "cudaMemset");
  }
  check(prepare(stream, exported.places), "set_symbols");
  ToolsLaunch tool(one, folder, tools);
  const auto run_exported = [&] {
    const cudaError_t error = launch(stream, exported.places, workspace, workspace_bytes);
    if (error != cudaSuccess) std::printf("%s: %s\n", one.name, reason());
    check(error, "the exported launch");
  };
  const auto run_tool = [&] { tool(stream); };
  int faults = wrong_inputs(one, launch, exported, workspace, workspace_bytes, stream);
  run_tool();
  run_exported();
  check(cudaStreamSynchronize(stream), "the first launches");
  const std::string verdict = compare(one, exported, tools);
  if (verdict.rfind("differ", 0) == 0 || (verdict != "same bits" && !one.nondeterministic)) ++faults;

  int l2_bytes = 0;
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "cudaDeviceGetAttribute");
  void* flushed = nullptr;
  const std::size_t flush_bytes = 2 * static_cast<std::size_t>(l2_bytes);
  check(cudaMalloc(&flushed, flush_bytes), "cudaMalloc");
  std::vector<double> of_tool, of_exported;
  for (int i = 0; i < 111; ++i) {
    const bool first = i % 2 == 0;
    const double a = first ? time_of(run_tool, stream, flushed, flush_bytes) : 0.0;
    const double b = time_of(run_exported, stream, flushed, flush_bytes);
    const double c = first ? a : time_of(run_tool, stream, flushed, flush_bytes);
    if (i < 10) continue;  // The clocks rise.
    of_tool.push_back(c);
    of_exported.push_back(b);
  }
  const double tool_ns = median(of_tool);
  const double exported_ns = median(of_exported);
  std::printf("%-14s %-18s tool %10.2f us  exported %10.2f us  ratio %.4f%s%s\n", one.name, verdict.c_str(),
              tool_ns / 1e3, exported_ns / 1e3, exported_ns / tool_ns,
              tools.zeroed_bytes > 0 ? "  with zeroing" : "", faults > 0 ? "  FAULT" : "");
  return faults > 0 ? 1 : 0;
}

}  // namespace exported_case
