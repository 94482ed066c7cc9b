#include "survey/injected/capturing/known_textures.h"

#include <cuda.h>
#include <cupti_driver_cbid.h>

#include <algorithm>
#include <cstring>

namespace warptune::survey::injected::capturing {

namespace {

constexpr std::array<CUpti_CallbackId, 2> kCalls = {CUPTI_DRIVER_TRACE_CBID_cuTexObjectCreate,
                                                    CUPTI_DRIVER_TRACE_CBID_cuSurfObjectCreate};

// The first parameter of cuTexObjectCreate and of cuSurfObjectCreate.
struct TextureParameters {
  const unsigned long long* handle;
};

}  // namespace

const std::array<CUpti_CallbackId, 2>& KnownTextures::calls() { return kCalls; }

bool KnownTextures::is_call(CUpti_CallbackId callback) {
  return std::find(kCalls.begin(), kCalls.end(), callback) != kCalls.end();
}

void KnownTextures::add(const CUpti_CallbackData& data) {
  const auto* const parameters = static_cast<const TextureParameters*>(data.functionParams);
  if (data.callbackSite == CUPTI_API_ENTER || !has_succeeded(data) || parameters == nullptr ||
      parameters->handle == nullptr)
    return;
  const std::size_t number = count_++;
  if (number < handles_.size()) handles_[number] = *parameters->handle;
}

const char* KnownTextures::find(const std::uint8_t* block, std::size_t bytes) const {
  const std::size_t count = count_;
  if (count > handles_.size())
    return "The program made so many textures and surfaces that it is unknown whether the launch has one, so "
           "nothing was captured.";
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + at, sizeof(word));
    if (std::find(handles_.begin(), handles_.begin() + count, word) != handles_.begin() + count)
      return "A parameter may be a texture or a surface, which a capture cannot hold, so nothing was "
             "captured.";
  }
  return nullptr;
}

bool has_succeeded(const CUpti_CallbackData& data) {
  const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
  return result != nullptr && *result == CUDA_SUCCESS;
}

}  // namespace warptune::survey::injected::capturing
