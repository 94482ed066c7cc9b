// Computes the errors of floating-point outputs on the device, in one pass over the elements.
//
// Each thread adds up its elements. Each warp combines the sums of its threads by shuffles and adds them to
// the total with atomics. The maximum of non-negative doubles is found with integer atomics, because the bit
// patterns of such doubles have the same order as their values. The representable values of a type are
// numbered in ascending order. The error in ULP is the difference of the numbers of two values.
#include "profiling/verification/error_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/driver/device_basics.h"
#include "profiling/driver/helper_program.h"

namespace warptune::profiling::verification {

using kernel_templates::CompileRequest;
using kernel_templates::DataType;

namespace {

constexpr unsigned kErrorThreads = 256;
constexpr DataType kTypes[] = {DataType::kF16, DataType::kBf16, DataType::kF32, DataType::kF64};

constexpr const char* kErrorSource = R"cuda(
struct ErrorSums {
  double max_absolute, max_relative, relative_sum;
  u64 relatives, max_ulp, compared;
};

__device__ long long bits_f16(u16 bits) { return bits; }
__device__ long long bits_bf16(u16 bits) { return bits; }
__device__ long long bits_f32(float value) { return __float_as_uint(value); }
__device__ long long bits_f64(double value) { return __double_as_longlong(value); }

// Representable values of a type, numbered upwards; both zeros are 0.
__device__ long long place(long long bits, u64 sign) {
  const long long magnitude = bits & (long long)(sign - 1);
  return (u64)bits & sign ? -magnitude : magnitude;
}

__device__ void add(ErrorSums& sums, double x, double r, long long x_place, long long r_place) {
  const double infinity = __longlong_as_double(0x7FF0000000000000LL);
  if (!(fabs(x) < infinity && fabs(r) < infinity)) return;
  const double error = fabs(x - r);
  ++sums.compared;
  sums.max_absolute = fmax(sums.max_absolute, error);
  const u64 ulp = x_place > r_place ? (u64)x_place - (u64)r_place : (u64)r_place - (u64)x_place;
  if (ulp > sums.max_ulp) sums.max_ulp = ulp;
  if (r == 0.0) return;
  ++sums.relatives;
  sums.relative_sum += error / fabs(r);
  sums.max_relative = fmax(sums.max_relative, error / fabs(r));
}

__device__ void fold(ErrorSums mine, ErrorSums* all) {
  for (int offset = 16; offset > 0; offset /= 2) {
    mine.max_absolute = fmax(mine.max_absolute, __shfl_down_sync(~0u, mine.max_absolute, offset));
    mine.max_relative = fmax(mine.max_relative, __shfl_down_sync(~0u, mine.max_relative, offset));
    mine.relative_sum += __shfl_down_sync(~0u, mine.relative_sum, offset);
    mine.relatives += __shfl_down_sync(~0u, mine.relatives, offset);
    const u64 ulp = __shfl_down_sync(~0u, mine.max_ulp, offset);
    if (ulp > mine.max_ulp) mine.max_ulp = ulp;
    mine.compared += __shfl_down_sync(~0u, mine.compared, offset);
  }
  if (threadIdx.x % 32 != 0 || mine.compared == 0) return;
  atomicMax(reinterpret_cast<u64*>(&all->max_absolute), (u64)__double_as_longlong(mine.max_absolute));
  atomicMax(reinterpret_cast<u64*>(&all->max_relative), (u64)__double_as_longlong(mine.max_relative));
  atomicAdd(&all->relative_sum, mine.relative_sum);
  atomicAdd(&all->relatives, mine.relatives);
  atomicMax(&all->max_ulp, mine.max_ulp);
  atomicAdd(&all->compared, mine.compared);
}

#define MEASURE(name, storage, sign)                                                                           \
  extern "C" __global__ void warptune_errors_##name(const storage* found, const storage* expected, u64 key,     \
                                                    u64 count, ErrorSums* all) {                                \
    ErrorSums mine = {};                                                                                        \
    GRID_STRIDE(i, count) {                                                                                     \
      const storage x = found[i], r = unmasked(expected, key, i);                                               \
      add(mine, decode_##name(x), decode_##name(r), place(bits_##name(x), sign), place(bits_##name(r), sign));  \
    }                                                                                                           \
    fold(mine, all);                                                                                            \
  }
MEASURE(f16, u16, 0x8000ULL)
MEASURE(bf16, u16, 0x8000ULL)
MEASURE(f32, float, 0x80000000ULL)
MEASURE(f64, double, 0x8000000000000000ULL)
)cuda";

std::string entry_of(DataType type) {
  return fmt::format("warptune_errors_{}", kernel_templates::info(type).name);
}

}  // namespace

void ErrorSums::add_to(model::Counters& counters) const {
  // A sum that overflows becomes the largest finite number, because recordings cannot store infinity.
  const auto finite = [](double value) { return std::min(value, std::numeric_limits<double>::max()); };
  counters[model::own_metric::kErrorMaxAbsolute] = finite(max_absolute);
  counters[model::own_metric::kErrorMaxRelative] = finite(max_relative);
  counters[model::own_metric::kErrorMeanRelative] =
      relatives == 0 ? 0.0 : finite(relative_sum / static_cast<double>(relatives));
  counters[model::own_metric::kErrorMaxUlp] = static_cast<double>(max_ulp);
}

CompileRequest error_meter_program(const model::GpuDescription& gpu) {
  CompileRequest request;
  request.program_name = "warptune_error_meter.cu";
  request.source = std::string(driver::kDeviceBasics).append(kErrorSource);
  for (const DataType type : kTypes) request.entries.push_back(entry_of(type));
  request.options = {"--std=c++17"};
  request.architecture = gpu.architecture();
  return request;
}

ErrorMeter::ErrorMeter(const model::GpuDescription& gpu, CUstream stream,
                       const std::filesystem::path& compile_cache)
    : stream_(stream), blocks_(static_cast<unsigned>(gpu.sm_count) * 8U) {
  const auto compiled = driver::compile_cached(error_meter_program(gpu), compile_cache);
  if (!compiled)
    throw base::InternalError("the kernels that measure errors do not compile: " + compiled.error().reason);
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), compiled->cubin.data()));
  for (const DataType type : kTypes) {
    WARPTUNE_CUDA(cuModuleGetFunction(&functions_[type], module_.get(),
                                      compiled->find_entry(entry_of(type)).lowered_name.c_str()));
  }
  sums_ = driver::allocate(sizeof(ErrorSums), "the errors of outputs");
  WARPTUNE_CUDA(cuMemsetD8Async(sums_.get(), 0, sizeof(ErrorSums), stream_));
}

void ErrorMeter::add(DataType type, CUdeviceptr found, driver::MaskedMemory expected, std::uint64_t count) {
  CUdeviceptr sums = sums_.get();
  void* parameters[] = {&found, &expected.data, &expected.key, &count, &sums};
  driver::launch_helper(functions_.at(type), blocks_, kErrorThreads, stream_, parameters);
}

ErrorSums ErrorMeter::collect() {
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  ErrorSums sums;
  WARPTUNE_CUDA(cuMemcpyDtoH(&sums, sums_.get(), sizeof sums));
  WARPTUNE_CUDA(cuMemsetD8Async(sums_.get(), 0, sizeof sums, stream_));
  return sums;
}

}  // namespace warptune::profiling::verification
