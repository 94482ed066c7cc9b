#include "profiling/driver/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/resolution/sized_arguments.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/driver/tensor_map.h"

namespace warptune::profiling::driver {

using kernel_templates::ArgumentKind;
using kernel_templates::Memory;
using kernel_templates::ResolvedArgument;

DeviceArguments::DeviceArguments(const kernel_templates::KernelInstance& instance, std::uint64_t seed,
                                 CUstream stream, std::size_t reserve_bytes, Guards guards)
    : seed_(seed), stream_(stream) {
  const std::vector<ResolvedArgument> resolved = kernel_templates::resolution::sized_arguments(instance);
  for (const ResolvedArgument& argument : resolved) {
    arguments_.emplace_back(guards).argument = argument;
    arguments_.back().argument.memory =
        Memory::kDevice;  // At first: the initial contents are written to the device, in packed rows.
    arguments_.back().argument.pitch = argument.width;
  }
  allocate_all(resolved, reserve_bytes, guards == Guards::kAround && instance.has_reference());
  base::log_debug("the buffers are allocated");
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    DeviceArgument& argument = arguments_[i];
    if (argument.argument.kind == ArgumentKind::kScalar) {
      argument.scalar = kernel_templates::scalar_bytes(argument.argument);
    } else if (argument.argument.kind == ArgumentKind::kIn ||
               argument.argument.kind == ArgumentKind::kInOut) {
      refill(i);
    }
  }
  base::log_debug("the buffers hold their initial contents");
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].is_buffer()) continue;
    // Such a GPU refuses the configuration with a reason, and may be unable to allocate the memory.
    if (resolved.at(i).memory == Memory::kManaged && !moves_managed_pages()) continue;
    arguments_[i].argument.memory = resolved.at(i).memory;
    arguments_[i].argument.pages = resolved.at(i).pages;
    arguments_[i].argument.pitch = resolved.at(i).pitch;
    place(arguments_[i]);
  }
}

void DeviceArguments::check_memory(const std::vector<ResolvedArgument>& resolved, std::size_t reserve_bytes,
                                   bool with_reference) const {
  std::size_t needed = reserve_bytes;
  std::string sizes;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const DeviceArgument& argument = arguments_[i];
    if (!argument.is_buffer()) continue;
    std::size_t copies = 1;
    if (resolved.at(i).memory == Memory::kManaged) ++copies;
    if (argument.argument.kind == ArgumentKind::kInOut) ++copies;
    if (argument.is_output() && with_reference) ++copies;
    needed += copies * GuardedBuffer::allocated_bytes(argument.bytes());
    sizes += fmt::format("{}{} {} x {} MiB", sizes.empty() ? "" : ", ", argument.argument.name, copies,
                         argument.bytes() >> 20U);
    if (!resolved.at(i).is_padded()) continue;
    const std::size_t padded_bytes = RowLayout(resolved[i]).bytes();
    needed += GuardedBuffer::allocated_bytes(padded_bytes);
    sizes += fmt::format(", {}'s padded rows {} MiB", argument.argument.name, padded_bytes >> 20U);
  }
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
  if (needed > free_bytes) {
    throw base::MachineError(fmt::format("the buffers need {} MiB of GPU memory ({}), {} of {} MiB are free",
                                         needed >> 20U, sizes, free_bytes >> 20U, total_bytes >> 20U),
                             "choose a smaller problem with --size, or free the GPU");
  }
}

void DeviceArguments::allocate_all(const std::vector<ResolvedArgument>& resolved, std::size_t reserve_bytes,
                                   bool with_reference) {
  check_memory(resolved, reserve_bytes, with_reference);
  for (DeviceArgument& argument : arguments_) {
    if (!argument.is_buffer()) continue;
    const std::string what = fmt::format("argument {}", argument.argument.name);
    argument.buffer.resize(argument.bytes(), what);
    argument.pointer = argument.buffer.data();
    if (argument.argument.kind == ArgumentKind::kInOut) {
      argument.initial_contents = allocate(argument.bytes(), what + "'s initial contents");
    }
    if (argument.is_output() && with_reference) {
      argument.reference.memory = allocate(Reference::bytes_for(argument.bytes()), what + "'s reference");
    }
  }
}

std::size_t DeviceArguments::footprint_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceArgument& argument : arguments_) {
    if (argument.is_buffer() && !argument.is_separate())
      bytes += argument.is_padded() ? argument.padded.layout().bytes() : argument.buffer.bytes();
  }
  return bytes;
}

void DeviceArguments::fit(const std::vector<ResolvedArgument>& resolved) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    DeviceArgument& argument = arguments_[i];
    if (!argument.is_buffer()) continue;
    if (argument.argument.kind == ArgumentKind::kScratch) {
      argument.argument = resolved.at(i);
      argument.buffer.resize(argument.bytes(), fmt::format("scratch argument {}", argument.argument.name));
    }
    argument.argument.memory = resolved.at(i).memory;
    argument.argument.pages = resolved.at(i).pages;
    argument.argument.pitch = resolved.at(i).pitch;
    place(argument);
    // Not when the buffers are made: a GPU that refuses advice also refuses the configuration, with a reason.
    if (argument.argument.memory == Memory::kManaged)
      argument.separate.at(Memory::kManaged).advise(argument.argument.pages);
  }
  // Tensor maps and textures contain the address of a buffer, which depends on the configuration.
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].argument.kind == ArgumentKind::kTexture) make_texture(arguments_[i], resolved.at(i));
    if (arguments_[i].argument.kind != ArgumentKind::kTensorMap) continue;
    arguments_[i].argument = resolved.at(i);
    encode(arguments_[i]);
  }
}

// Sets the address for launches. If it is in new separate memory, the device's contents are copied there.
// Without guards, only an input's are: nothing has written the buffers of other arguments on the device, and
// a program that checks memory accesses would report the copy. `restore` sends what launches find in them.
void DeviceArguments::place(DeviceArgument& argument) {
  argument.pointer = argument.buffer.data();
  if (argument.is_padded()) return place_rows(argument);
  if (!argument.is_separate()) return;
  SeparateBuffer& separate =
      argument.separate.try_emplace(argument.argument.memory, argument.guards).first->second;
  if (separate.resize(argument.argument.memory, argument.bytes(),
                      fmt::format("argument {}", argument.argument.name))) {
    argument.buffer.write_guards();
    if (argument.guards == Guards::kAround || argument.argument.kind == ArgumentKind::kIn)
      separate.write_guarded(argument.buffer, stream_);
    WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  }
  argument.pointer = separate.address();
}

// New rows get the contents of the packed ones, without guards only those of inputs, as in `place`.
void DeviceArguments::place_rows(DeviceArgument& argument) {
  const kernel_templates::ResolvedArgument& resolved = argument.argument;
  try {
    if (argument.padded.resize(RowLayout(resolved), padding_byte(resolved.kind), stream_,
                               fmt::format("argument {} with padded rows", resolved.name))) {
      if (argument.guards == Guards::kAround || resolved.kind == ArgumentKind::kIn)
        argument.padded.write(argument.buffer.data(), stream_);
      WARPTUNE_CUDA(cuStreamSynchronize(stream_));
    }
  } catch (...) {  // There are no padded rows. The packed ones are still there.
    argument.argument.pitch = resolved.width;
    throw;
  }
  argument.pointer = argument.padded.data();
}

void DeviceArguments::send_to_separate(DeviceArgument& argument, CUdeviceptr contents) {
  if (argument.is_padded()) argument.padded.write(contents, stream_);
  if (argument.is_separate()) argument.separate.at(argument.argument.memory).write(contents, stream_);
}

void DeviceArguments::fetch_separate() {
  for (const DeviceArgument& argument : arguments_) {
    if (!argument.is_buffer()) continue;
    if (argument.is_padded()) argument.padded.read(argument.buffer.data(), stream_);
    if (argument.is_separate())
      argument.separate.at(argument.argument.memory).read_guarded(argument.buffer, stream_);
  }
}

void DeviceArguments::write_guards(DeviceArgument& argument) {
  argument.buffer.write_guards();
  if (argument.is_separate()) argument.separate.at(argument.argument.memory).write_guards();
  if (argument.is_padded()) return argument.padded.repair(stream_);
  argument.padded.forget();  // Rows of earlier configurations may be damaged, too.
}

void DeviceArguments::encode(DeviceArgument& argument) {
  const kernel_templates::ResolvedTensorMap& map = argument.argument.tensor_map;
  argument.tensor_map = {};
  if (map.encoded)
    argument.tensor_map = encode_tensor_map(argument.argument, arguments_.at(map.buffer).pointer);
}

void DeviceArguments::make_texture(DeviceArgument& argument, const ResolvedArgument& resolved) {
  const CUdeviceptr place = arguments_.at(resolved.texture.buffer).pointer;
  if (argument.texture.is(resolved, place)) return;
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));  // A launch may still read the old texture.
  argument.argument = resolved;
  argument.pointer = 0;
  argument.texture = {};
  argument.texture = TextureObject(resolved, place);
  argument.pointer = argument.texture.handle();
}

bool DeviceArguments::needs_restore() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const DeviceArgument& argument) {
    return argument.argument.kind == ArgumentKind::kInOut ||
           (argument.argument.kind == ArgumentKind::kScratch && argument.argument.zeroed) ||
           argument.argument.memory == Memory::kManaged;
  });
}

void DeviceArguments::restore() {
  for (DeviceArgument& argument : arguments_) {
    if (argument.argument.kind == ArgumentKind::kInOut) {
      // A launch does not read packed rows if it has padded ones. The copy would only take their place in L2.
      if (!argument.is_padded())
        WARPTUNE_CUDA(cuMemcpyDtoDAsync(argument.buffer.data(), argument.initial_contents.get(),
                                        argument.bytes(), stream_));
      send_to_separate(argument, argument.initial_contents.get());
    } else if (argument.argument.kind == ArgumentKind::kScratch && argument.argument.zeroed) {
      WARPTUNE_CUDA(cuMemsetD8Async(argument.buffer.data(), 0, argument.bytes(), stream_));
      send_to_separate(argument, argument.buffer.data());
    }
  }
  for (const DeviceArgument& argument : arguments_) {
    if (argument.is_buffer() && argument.is_separate())
      argument.separate.at(argument.argument.memory).settle(stream_);
  }
}

void DeviceArguments::poison_outputs() {
  for (DeviceArgument& argument : arguments_) {
    if (argument.argument.kind != ArgumentKind::kOut) continue;
    const bool floating = kernel_templates::info(argument.argument.type).floating;  // All bits set is a NaN.
    WARPTUNE_CUDA(cuMemsetD8Async(argument.buffer.data(), floating ? 0xFF : 0xA5, argument.bytes(), stream_));
    send_to_separate(argument, argument.buffer.data());
  }
}

void DeviceArguments::poison_scratch(std::uint32_t pattern) {
  for (DeviceArgument& argument : arguments_) {
    if (argument.argument.kind != ArgumentKind::kScratch || argument.argument.zeroed) continue;
    const std::size_t words = argument.bytes() / sizeof pattern;
    if (words > 0) WARPTUNE_CUDA(cuMemsetD32Async(argument.buffer.data(), pattern, words, stream_));
    send_to_separate(argument, argument.buffer.data());
  }
}

void DeviceArguments::note_new_input(DeviceArgument& argument) {
  ++contents_version_;
  if (argument.argument.kind != ArgumentKind::kIn) return;
  if (argument.padded.exists()) argument.padded.write(argument.buffer.data(), stream_);
  for (const auto& [memory, separate] : argument.separate) {
    if (separate.exists()) separate.write(argument.buffer.data(), stream_);
  }
}

bool DeviceArguments::any_separate() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const DeviceArgument& argument) {
    return argument.is_buffer() && argument.is_separate();
  });
}

void DeviceArguments::refill(std::size_t position) {
  DeviceArgument& argument = arguments_.at(position);
  const CUdeviceptr target = argument.argument.kind == ArgumentKind::kInOut ? argument.initial_contents.get()
                                                                            : argument.buffer.data();
  kernel_templates::generate_argument_in_parts(argument.argument, position, seed_, uploader(target));
  note_new_input(argument);
}

std::vector<void*> DeviceArguments::launch_parameters() {
  std::vector<void*> parameters;
  for (DeviceArgument& argument : arguments_) {
    const ArgumentKind kind = argument.argument.kind;
    void* const value = kind == ArgumentKind::kScalar ? static_cast<void*>(argument.scalar.data())
                                                      : static_cast<void*>(&argument.pointer);
    parameters.push_back(kind == ArgumentKind::kTensorMap ? &argument.tensor_map : value);
  }
  return parameters;
}

std::vector<std::size_t> DeviceArguments::parameter_sizes() const {
  std::vector<std::size_t> sizes;
  for (const DeviceArgument& argument : arguments_) {
    const ArgumentKind kind = argument.argument.kind;
    sizes.push_back(kind == ArgumentKind::kTensorMap ? sizeof(CUtensorMap)
                    : kind == ArgumentKind::kScalar  ? argument.scalar.size()
                                                     : sizeof(CUdeviceptr));
  }
  return sizes;
}

}  // namespace warptune::profiling::driver
