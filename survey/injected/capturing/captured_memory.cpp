#include "survey/injected/capturing/captured_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace warptune::survey::injected::capturing {

using collecting::RawChunk;
using collecting::capturing::RawCapturedBuffer;
using collecting::capturing::RawCapturedPart;

namespace {

constexpr std::uint64_t kPartBytes = std::uint64_t{8} << 20U;
constexpr std::uint64_t kLowestAddress = 65536;  // Smaller words are numbers.
constexpr std::size_t kLongestName = 4096;
constexpr const char* kNoRoom = "There is too little space for temporary files, so nothing was captured.";

}  // namespace

CapturedMemory::~CapturedMemory() { std::free(part_); }

const char* CapturedMemory::add_allocation(std::uint64_t pointer, CUdevice device) {
  unsigned int type = 0;
  if (functions_.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_SUCCESS ||
      type == 0)
    return nullptr;  // A number that points nowhere.
  unsigned int managed = 0;
  functions_.pointer_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer);
  if (managed != 0)
    return "A parameter points to managed memory, which a capture cannot hold, so nothing was captured.";
  if (type == CU_MEMORYTYPE_HOST)
    return "A parameter points to pinned memory of the host, which a capture cannot hold, so nothing was "
           "captured.";
  int owner = device;
  functions_.pointer_attribute(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
  if (owner != device)
    return "A parameter points to memory of another GPU, which a capture cannot hold, so nothing was "
           "captured.";
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (functions_.address_range(&base, &bytes, pointer) != CUDA_SUCCESS || bytes == 0)
    return "The size of the memory to which a parameter points is unknown, so nothing was captured.";
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (buffers_[i].address == base) return nullptr;
  }
  if (count_ == buffers_.size())
    return "The parameters point to more allocations than a capture can hold, so nothing was captured.";
  buffers_[count_++] = {base, bytes, nullptr};
  return nullptr;
}

const char* CapturedMemory::find_allocations(const std::uint8_t* block, std::size_t bytes) {
  CUdevice device = 0;
  if (functions_.context_device(&device) != CUDA_SUCCESS)
    return "The launch has no current context, so nothing was captured.";
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + at, sizeof(word));
    if (word < kLowestAddress) continue;
    if (const char* const problem = add_allocation(word, device); problem != nullptr) return problem;
  }
  return nullptr;
}

void CapturedMemory::find_variables(CUmodule module, const ElfImage& image) {
  image.visit_variables([&](const char* name, std::size_t) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (module == nullptr || count_ == buffers_.size() || std::strlen(name) > kLongestName ||
        functions_.variable(&address, &bytes, module, name) != CUDA_SUCCESS || bytes == 0) {
      ++unread_variables_;
      return;
    }
    buffers_[count_++] = {address, bytes, name};
  });
}

const char* CapturedMemory::check_size(std::uint64_t limit) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count_; ++i) sum += buffers_[i].bytes;
  if (sum <= limit) return nullptr;
  constexpr unsigned kMib = 20;
  const unsigned long long found = (sum >> kMib) + 1;
  const unsigned long long most = limit >> kMib;
  std::snprintf(problem_.data(), problem_.size(),
                "The buffers of the launch have %llu MiB, more than the limit of %llu MiB (--capture-limit), "
                "so nothing was captured.",
                found, most);
  return problem_.data();
}

bool CapturedMemory::write_buffers(RawFile& file) const {
  alignas(8) std::array<char, sizeof(RawCapturedBuffer) + kLongestName + 8> record{};
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Buffer& buffer = buffers_[i];
    const std::size_t length = buffer.variable == nullptr ? 0 : std::strlen(buffer.variable);
    const RawCapturedBuffer raw{buffer.address, buffer.bytes, static_cast<std::uint32_t>(length), 0};
    record.fill('\0');
    std::memcpy(record.data(), &raw, sizeof(raw));
    if (length > 0) std::memcpy(record.data() + sizeof(raw), buffer.variable, length);
    if (!file.write(RawChunk::kCapturedBuffer, 1, record.data(),
                    sizeof(raw) + collecting::raw_padded(length)))
      return false;
  }
  return true;
}

const char* CapturedMemory::write_part(RawFile& file, std::uint32_t buffer, std::uint64_t offset,
                                       bool after) {
  const std::uint64_t bytes = std::min(kPartBytes, buffers_[buffer].bytes - offset);
  const RawCapturedPart raw{buffer, after ? 1U : 0U, offset, bytes};
  auto* const data = static_cast<std::uint8_t*>(part_);
  std::memcpy(data, &raw, sizeof(raw));
  std::memset(data + sizeof(raw) + bytes, 0, collecting::raw_padded(bytes) - bytes);
  if (functions_.copy_to_host(data + sizeof(raw), buffers_[buffer].address + offset, bytes) != CUDA_SUCCESS)
    return "The contents of a buffer of the launch cannot be read, so nothing was captured.";
  if (!file.open(true)) return kNoRoom;
  const bool written =
      file.write(RawChunk::kCapturedPart, 1, data, sizeof(raw) + collecting::raw_padded(bytes));
  file.close();
  return written ? nullptr : kNoRoom;
}

const char* CapturedMemory::write_contents(RawFile& file, bool after) {
  if (part_ == nullptr) part_ = std::malloc(sizeof(RawCapturedPart) + kPartBytes);
  if (part_ == nullptr) return "The program has no memory for a capture, so nothing was captured.";
  for (std::uint32_t i = 0; i < count_; ++i) {
    for (std::uint64_t offset = 0; offset < buffers_[i].bytes; offset += kPartBytes) {
      if (const char* const problem = write_part(file, i, offset, after); problem != nullptr) return problem;
    }
  }
  return nullptr;
}

}  // namespace warptune::survey::injected::capturing
