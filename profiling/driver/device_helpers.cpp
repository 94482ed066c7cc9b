#include "profiling/driver/device_helpers.h"

#include <fmt/format.h>

#include "kernel_templates/compiler.h"
#include "profiling/driver/device_basics.h"
#include "profiling/driver/guarded_buffer.h"
#include "profiling/driver/helper_kernels.h"
#include "profiling/driver/helper_program.h"

namespace warptune::profiling::driver {

namespace {

constexpr std::size_t kSlots = 1024;
constexpr unsigned kHelperThreads = 256;

std::vector<std::string> entry_names() {
  std::vector<std::string> names = {"warptune_check_guards", "warptune_check_padding", "warptune_checksum",
                                    "warptune_exchange",     "warptune_hold",          "warptune_mask",
                                    "warptune_spin",         "warptune_sweep",         "warptune_timer_step"};
  for (const auto& type : kernel_templates::data_types())
    names.push_back(fmt::format("warptune_compare_{}", type.name));
  return names;
}

}  // namespace

DeviceHelpers::DeviceHelpers(const model::GpuDescription& gpu, CUstream stream,
                             const std::filesystem::path& compile_cache)
    : stream_(stream), blocks_(static_cast<unsigned>(gpu.sm_count) * 8U) {
  kernel_templates::CompileRequest request;
  request.program_name = "warptune_device_helpers.cu";
  request.source = std::string(kDeviceBasics).append(kHelperKernels);
  request.entries = entry_names();
  request.options = {"--std=c++17"};
  request.architecture = gpu.architecture();
  const auto compiled = compile_cached(request, compile_cache);
  if (!compiled)
    throw base::InternalError("the kernels that check outputs do not compile: " + compiled.error().reason);
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), compiled->cubin.data()));
  for (const std::string& name : request.entries) {
    CUfunction function = nullptr;
    WARPTUNE_CUDA(
        cuModuleGetFunction(&function, module_.get(), compiled->find_entry(name).lowered_name.c_str()));
    functions_[name] = function;
  }
  slots_ = allocate(kSlots * sizeof(CheckResult), "the results of output checks");
  timer_step_ns_ = measure_timer_step_ns();
}

CUdeviceptr DeviceHelpers::next_slot() {
  if (used_ == kSlots) throw base::InternalError("more checks are enqueued than there are slots for results");
  if (used_ == 0) WARPTUNE_CUDA(cuMemsetD8Async(slots_.get(), 0, kSlots * sizeof(CheckResult), stream_));
  return slots_.get() + sizeof(CheckResult) * used_++;
}

void DeviceHelpers::compare(kernel_templates::DataType type, CUdeviceptr found, MaskedMemory expected,
                            std::uint64_t count, kernel_templates::Tolerance tolerance) {
  CUdeviceptr slot = next_slot();
  void* parameters[] = {
      &found, &expected.data, &expected.key, &count, &tolerance.absolute, &tolerance.relative, &slot};
  launch_helper(functions_.at(fmt::format("warptune_compare_{}", kernel_templates::info(type).name)), blocks_,
                kHelperThreads, stream_, parameters);
}

void DeviceHelpers::check_guards(CUdeviceptr before, CUdeviceptr after) {
  static_assert(kHelperThreads == kGuardBytes);
  CUdeviceptr slot = next_slot();
  void* parameters[] = {&before, &after, &slot};
  launch_helper(functions_.at("warptune_check_guards"), 1, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::check_padding(const PaddedBuffer& rows) {
  CUdeviceptr data = rows.data();
  std::uint64_t row_bytes = rows.layout().row_bytes;
  std::uint64_t pitch_bytes = rows.layout().pitch_bytes;
  std::uint64_t count = rows.layout().rows * rows.layout().padding_bytes();
  std::uint32_t expected = rows.byte();
  CUdeviceptr slot = next_slot();
  void* parameters[] = {&data, &row_bytes, &pitch_bytes, &count, &expected, &slot};
  launch_helper(functions_.at("warptune_check_padding"), blocks_, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::checksum(CUdeviceptr data, std::uint64_t bytes) {
  CUdeviceptr slot = next_slot();
  void* parameters[] = {&data, &bytes, &slot};
  launch_helper(functions_.at("warptune_checksum"), blocks_, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::mask(CUdeviceptr source, MaskedMemory target, std::uint64_t bytes) const {
  std::uint64_t words = (bytes + 7) / 8;
  void* parameters[] = {&source, &target.data, &words, &target.key};
  launch_helper(functions_.at("warptune_mask"), blocks_, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::exchange(CUdeviceptr a, CUdeviceptr b, std::uint64_t bytes) const {
  void* parameters[] = {&a, &b, &bytes};
  launch_helper(functions_.at("warptune_exchange"), blocks_, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::keep_busy(std::uint64_t cycles, SpinRecord* record) const {
  auto address = reinterpret_cast<CUdeviceptr>(record);
  void* parameters[] = {&cycles, &address};
  launch_helper(functions_.at("warptune_hold"), 1, 1, stream_, parameters);
}

void DeviceHelpers::sweep(CUdeviceptr zeros, std::uint64_t bytes) const {
  std::uint64_t count = bytes / 16;
  void* parameters[] = {&zeros, &count};
  launch_helper(functions_.at("warptune_sweep"), blocks_, kHelperThreads, stream_, parameters);
}

void DeviceHelpers::spin(std::uint64_t ns) const {
  void* parameters[] = {&ns};
  launch_helper(functions_.at("warptune_spin"), 1, 1, stream_, parameters);
}

double DeviceHelpers::measure_timer_step_ns() const {
  const PinnedMemory record = allocate_pinned(sizeof(SpinRecord), "the record of a spin");
  auto address = reinterpret_cast<CUdeviceptr>(record.get());
  void* parameters[] = {&address};
  launch_helper(functions_.at("warptune_timer_step"), 1, 1, stream_, parameters);
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  return static_cast<double>(static_cast<const SpinRecord*>(record.get())->ns);
}

std::vector<CheckResult> DeviceHelpers::collect() {
  std::vector<CheckResult> findings(used_);
  used_ = 0;
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  if (!findings.empty()) {
    WARPTUNE_CUDA(cuMemcpyDtoH(findings.data(), slots_.get(), findings.size() * sizeof(CheckResult)));
  }
  return findings;
}

}  // namespace warptune::profiling::driver
