#include "profiling/captures/resident_capture.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace warptune::profiling::captures {

namespace {

std::int64_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  WARPTUNE_CUDA(cuFuncGetAttribute(&value, which, function));
  return value;
}

}  // namespace

ResidentCapture::ResidentCapture(const CapturedLaunch& launch, const model::GpuDescription& gpu,
                                 CUstream stream)
    : launch_(launch), stream_(stream), block_(launch.parameter_bytes), block_bytes_(block_.size()) {
  load();
  buffers_.reserve(launch.buffers.size());
  for (const CapturedBuffer& captured : launch.buffers) add_buffer(captured);
  adapt_pointers();
  configure(stream);
  find_resources(gpu);
}

void ResidentCapture::load() {
  WARPTUNE_CUDA(cuModuleLoadData(module_.out(), launch_.image.data()));
  WARPTUNE_CUDA(cuModuleGetFunction(&function_, module_.get(), launch_.kernel.c_str()));
  constexpr std::uint32_t kWithoutOptIn = 48 << 10U;
  if (launch_.dynamic_shared_bytes + attribute(function_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) >
      kWithoutOptIn)
    WARPTUNE_CUDA(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(launch_.dynamic_shared_bytes)));
  if (launch_.carveout >= 0)
    WARPTUNE_CUDA(
        cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, launch_.carveout));
  constexpr std::uint32_t kPortableCluster = 8;
  if (launch_.cluster[0] * launch_.cluster[1] * launch_.cluster[2] > kPortableCluster)
    WARPTUNE_CUDA(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

void ResidentCapture::add_buffer(const CapturedBuffer& captured) {
  Buffer buffer;
  const std::size_t bytes = captured.before.size();
  if (captured.variable.empty()) {
    buffer.memory = driver::allocate(bytes, "a buffer of the captured launch");
    buffer.address = buffer.memory.get();
  } else {
    std::size_t found = 0;
    WARPTUNE_CUDA(cuModuleGetGlobal(&buffer.address, &found, module_.get(), captured.variable.c_str()));
    if (found != bytes) {
      warnings_.push_back(fmt::format("the variable {} has {} bytes here and {} bytes in the capture",
                                      captured.variable, found, bytes));
      buffer.address = 0;
    }
  }
  if (buffer.address != 0) driver::upload(buffer.address, captured.before.data(), bytes);
  if (buffer.address != 0 && captured.after) {
    buffer.backup = driver::allocate(bytes, "the contents of a buffer of the captured launch");
    driver::upload(buffer.backup.get(), captured.before.data(), bytes);
  }
  buffers_.push_back(std::move(buffer));
}

void ResidentCapture::adapt_pointers() {
  for (const PointerPlace& place : launch_.pointers()) {
    const std::uint64_t address = buffers_[place.buffer].address + place.within;
    std::memcpy(block_.data() + place.offset, &address, sizeof(address));
  }
  extra_ = {CU_LAUNCH_PARAM_BUFFER_POINTER, block_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &block_bytes_,
            CU_LAUNCH_PARAM_END};
}

void ResidentCapture::configure(CUstream stream) {
  config_.gridDimX = launch_.grid[0];
  config_.gridDimY = launch_.grid[1];
  config_.gridDimZ = launch_.grid[2];
  config_.blockDimX = launch_.block[0];
  config_.blockDimY = launch_.block[1];
  config_.blockDimZ = launch_.block[2];
  config_.sharedMemBytes = launch_.dynamic_shared_bytes;
  config_.hStream = stream;
  if (launch_.cooperative) {
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    attributes_.push_back(cooperative);
  }
  if (launch_.cluster[0] > 0) {
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {launch_.cluster[0], launch_.cluster[1], launch_.cluster[2]};
    attributes_.push_back(cluster);
  }
  config_.attrs = attributes_.data();
  config_.numAttrs = static_cast<unsigned int>(attributes_.size());
}

void ResidentCapture::find_resources(const model::GpuDescription& gpu) {
  const auto threads = static_cast<std::int64_t>(launch_.block[0]) * launch_.block[1] * launch_.block[2];
  use_.registers_per_thread = attribute(function_, CU_FUNC_ATTRIBUTE_NUM_REGS);
  use_.static_shared_bytes = attribute(function_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  use_.local_bytes = attribute(function_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  use_.dynamic_shared_bytes = launch_.dynamic_shared_bytes;
  use_.threads_per_block = threads;
  use_.blocks = static_cast<std::int64_t>(launch_.grid[0]) * launch_.grid[1] * launch_.grid[2];
  int resident = 0;
  WARPTUNE_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function_, static_cast<int>(threads),
                                                            launch_.dynamic_shared_bytes));
  use_.blocks_per_sm = resident;
  const std::int64_t warps = (threads + gpu.warp_size - 1) / gpu.warp_size;
  use_.theoretical_occupancy =
      static_cast<double>(resident * warps * gpu.warp_size) / static_cast<double>(gpu.max_threads_per_sm);
}

void ResidentCapture::restore() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.backup.get() != 0)
      WARPTUNE_CUDA(
          cuMemcpyDtoDAsync(buffer.address, buffer.backup.get(), launch_.buffers[i].before.size(), stream_));
  }
}

void ResidentCapture::launch() const {
  WARPTUNE_CUDA(cuLaunchKernelEx(&config_, function_, nullptr, const_cast<void**>(extra_.data())));
}

std::vector<BufferDifference> ResidentCapture::differences() const {
  std::vector<BufferDifference> found;
  std::string contents;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].address == 0) continue;
    contents.resize(launch_.buffers[i].before.size());
    WARPTUNE_CUDA(cuMemcpyDtoH(contents.data(), buffers_[i].address, contents.size()));
    if (const auto difference = difference_of(launch_, i, contents)) found.push_back(*difference);
  }
  return found;
}

}  // namespace warptune::profiling::captures
