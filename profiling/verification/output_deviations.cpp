// Measures how far the results of one configuration differ from launch to launch.
//
// The checksum of a launch's outputs is compared with that of the first launch on the same inputs. This needs
// almost no memory and detects any difference. To know the size of a difference, the outputs of the first of
// all launches are kept. A kernel on the device finds the maximum of |x - first| / (absolute + relative
// |first|) over all elements, which is the difference in units of the tolerance.
#include "profiling/verification/output_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/log.h"
#include "model/fields.h"
#include "profiling/driver/device_basics.h"
#include "profiling/driver/helper_program.h"
#include "profiling/verification/output_bits.h"

namespace warptune::profiling::verification {

using kernel_templates::CompileRequest;
using kernel_templates::DataType;

namespace {

constexpr unsigned kDeviationThreads = 256;

// Both results are within the tolerance of the reference, so they are at most two tolerances apart. If one is
// NaN or infinite, so is the other, because the check would have refused one of them otherwise. The maximum
// of non-negative doubles is found with integer atomics: their bit patterns have the same order as their
// values.
constexpr const char* kDeviationSource = R"cuda(
__device__ double share_of(double error, double bound) {
  return bound > 0.0 && error < 2.0 * bound ? error / bound : 2.0;
}

__device__ void keep_largest(double mine, double* largest) {
  if (mine > 0.0) atomicMax(reinterpret_cast<u64*>(largest), (u64)__double_as_longlong(mine));
}

#define DEVIATION_REAL(name, storage)                                                                         \
  extern "C" __global__ void warptune_deviation_##name(const storage* found, const storage* kept, u64 key,     \
                                                       u64 count, double absolute, double relative,            \
                                                       double* largest) {                                      \
    double mine = 0.0;                                                                                         \
    GRID_STRIDE(i, count) {                                                                                    \
      const double x = decode_##name(found[i]), r = decode_##name(unmasked(kept, key, i));                     \
      if (x == r || x != x || r != r) continue;                                                                \
      mine = fmax(mine, share_of(fabs(x - r), absolute + relative * fabs(r)));                                 \
    }                                                                                                          \
    keep_largest(mine, largest);                                                                               \
  }
DEVIATION_REAL(f16, u16)
DEVIATION_REAL(bf16, u16)
DEVIATION_REAL(f32, float)
DEVIATION_REAL(f64, double)

#define DEVIATION_INTEGER(name, storage)                                                                      \
  extern "C" __global__ void warptune_deviation_##name(const storage* found, const storage* kept, u64 key,     \
                                                       u64 count, double absolute, double relative,            \
                                                       double* largest) {                                      \
    double mine = 0.0;                                                                                         \
    GRID_STRIDE(i, count) {                                                                                    \
      const storage x = found[i], r = unmasked(kept, key, i);                                                  \
      if (x == r) continue;                                                                                    \
      const double error = (double)(x > r ? (u64)x - (u64)r : (u64)r - (u64)x);                                \
      mine = fmax(mine, share_of(error, absolute + relative * fabs((double)r)));                               \
    }                                                                                                          \
    keep_largest(mine, largest);                                                                               \
  }
DEVIATION_INTEGER(i8, signed char)
DEVIATION_INTEGER(i16, short)
DEVIATION_INTEGER(i32, int)
DEVIATION_INTEGER(i64, long long)
DEVIATION_INTEGER(u8, u8)
DEVIATION_INTEGER(u16, u16)
DEVIATION_INTEGER(u32, u32)
DEVIATION_INTEGER(u64, u64)
)cuda";

std::string deviation_entry(DataType type) {
  return fmt::format("warptune_deviation_{}", kernel_templates::info(type).name);
}

}  // namespace

CompileRequest deviation_program(const model::GpuDescription& gpu) {
  CompileRequest request;
  request.program_name = "warptune_output_deviations.cu";
  request.source = std::string(driver::kDeviceBasics).append(kDeviationSource);
  for (const auto& type : kernel_templates::data_types())
    request.entries.push_back(fmt::format("warptune_deviation_{}", type.name));
  request.options = {"--std=c++17"};
  request.architecture = gpu.architecture();
  return request;
}

OutputDeviations::OutputDeviations(const kernel_templates::KernelInstance& instance,
                                   driver::DeviceArguments& arguments, driver::DeviceHelpers& helpers,
                                   OutputCheck& check, CUstream stream, std::filesystem::path compile_cache)
    : instance_(instance),
      arguments_(arguments),
      helpers_(helpers),
      check_(check),
      stream_(stream),
      compile_cache_(std::move(compile_cache)),
      random_(base::unforeseen_seed()) {}

bool OutputDeviations::note(timing::Confirmation& confirmation) {
  ++confirmation.launches;
  const std::uint64_t outputs = check_.checksum_of_outputs();
  const std::uint64_t seed = arguments_.seed();
  if (first_.empty()) {
    kept_seed_ = seed;
    keep_outputs();
  }
  if (first_.emplace(seed, outputs).first->second == outputs) return false;
  ++confirmation.deviating;
  const bool is_measured = ++deviating_[seed] <= OutputBits::kMaxMeasured;
  if (seed != kept_seed_ || kept_.empty()) return is_measured;
  const double share = measure();
  if (!(confirmation.deviation_of_tolerance >= share))
    confirmation.deviation_of_tolerance = model::from_nan(share);
  return is_measured;
}

void OutputDeviations::keep_outputs() {
  std::size_t needed = 0;
  for (const driver::DeviceArgument& argument : arguments_.all())
    needed += argument.is_output() ? driver::Reference::bytes_for(argument.bytes()) : 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
  if (needed > free_bytes / 2) {
    base::log_debug("no room to keep outputs: how far the results of launches differ is not measured");
    return;
  }
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    Kept& kept = kept_.emplace_back();
    kept.memory = driver::allocate(driver::Reference::bytes_for(argument.bytes()),
                                   argument.argument.name + "'s first results");
    kept.key = random_.next();
    helpers_.mask(argument.buffer.data(), {kept.memory.get(), kept.key}, argument.bytes());
  }
}

void OutputDeviations::prepare() {
  const auto compiled = driver::compile_cached(deviation_program(instance_.gpu()), compile_cache_);
  if (!compiled)
    throw base::InternalError("the kernels that compare results do not compile: " + compiled.error().reason);
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), compiled->cubin.data()));
  largest_ = driver::allocate(sizeof(double), "the largest deviation");
}

double OutputDeviations::measure() {
  WARPTUNE_CUDA(cuMemsetD8Async(largest_.get(), 0, sizeof(double), stream_));
  auto kept = kept_.begin();
  for (const driver::DeviceArgument& argument : arguments_.all()) {
    if (!argument.is_output()) continue;
    const DataType type = argument.argument.type;
    CUfunction function = nullptr;
    WARPTUNE_CUDA(cuModuleGetFunction(&function, module_.get(), deviation_entry(type).c_str()));
    CUdeviceptr found = argument.buffer.data();
    CUdeviceptr expected = kept->memory.get();
    std::uint64_t key = kept->key;
    auto count = static_cast<std::uint64_t>(argument.argument.count);
    kernel_templates::Tolerance tolerance = instance_.tolerance(type);
    CUdeviceptr largest = largest_.get();
    void* parameters[] = {&found,  &expected, &key, &count, &tolerance.absolute, &tolerance.relative,
                          &largest};
    driver::launch_helper(function, static_cast<unsigned>(instance_.gpu().sm_count) * 8U, kDeviationThreads,
                          stream_, parameters);
    ++kept;
  }
  double share = 0.0;
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  WARPTUNE_CUDA(cuMemcpyDtoH(&share, largest_.get(), sizeof share));
  return share;
}

}  // namespace warptune::profiling::verification
