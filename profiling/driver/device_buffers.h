#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/driver/guarded_buffer.h"
#include "profiling/driver/texture_object.h"

namespace warptune::profiling::driver {

/// The right contents of an output. They are masked (`MaskedMemory`), so that a kernel that reads this memory
/// cannot copy them.
struct Reference {
  DeviceMemory memory;  ///< A whole number of 8-byte words.
  std::uint64_t key = 0;
  std::uint64_t checksum = 0;  ///< The checksum of `memory`.

  MaskedMemory masked() const { return {memory.get(), key}; }
  static std::size_t bytes_for(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

/// The contents of an argument in the second set of inputs and right outputs, with which launches are
/// checked, too.
struct SecondSet {
  /// The initial contents of an input that depends on the seed. Empty for other inputs.
  DeviceMemory first;
  std::uint64_t checksum = 0;
  Reference reference;
};

/// One argument of the kernel, and its memory.
struct DeviceArgument {
  explicit DeviceArgument(Guards guards_of_buffers = Guards::kAround)
      : guards(guards_of_buffers), buffer(guards_of_buffers), padded(guards_of_buffers) {}

  kernel_templates::ResolvedArgument argument;
  Guards guards;  ///< Those of `buffer` and of separate memory.
  /// Not used for scalars. If launches use separate memory or padded rows, this is the copy that checks read.
  /// Its rows are packed.
  GuardedBuffer buffer;
  PaddedBuffer padded;  ///< The rows of the last configuration with padded ones.
  /// The separate memory of each kind that configurations have used.
  std::map<kernel_templates::Memory, SeparateBuffer> separate;
  DeviceMemory initial_contents;  ///< inout: the initial contents.
  Reference reference;            ///< out, inout: the right contents, once known.
  SecondSet other;
  std::vector<std::byte> scalar;
  CUtensorMap tensor_map{};
  TextureObject texture;
  /// The address or value that a launch gets: `buffer.data()`, an address in separate memory, or a texture's
  /// handle.
  CUdeviceptr pointer = 0;
  /// in: the checksum of the initial contents. inout: the checksum of `initial_contents`.
  std::uint64_t checksum = 0;

  bool is_buffer() const { return argument.is_buffer(); }
  bool is_input() const {
    return argument.kind == kernel_templates::ArgumentKind::kIn ||
           argument.kind == kernel_templates::ArgumentKind::kInOut;
  }
  bool is_output() const {
    return argument.kind == kernel_templates::ArgumentKind::kOut ||
           argument.kind == kernel_templates::ArgumentKind::kInOut;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(argument.bytes()); }
  /// Whether launches of the current configuration use separate memory: the host's, or managed memory.
  bool is_separate() const { return argument.memory != kernel_templates::Memory::kDevice; }
  /// Whether rows of launches of the current configuration are padded. They are then in the GPU's memory.
  bool is_padded() const { return argument.is_padded(); }
};

/// All arguments of one kernel instance on the device, and their contents.
class DeviceArguments {
 public:
  /// Allocates and fills the buffers. `reserve_bytes` is the amount of memory that the caller needs in
  /// addition. Throws `base::MachineError` with the sizes when the memory does not suffice, and
  /// `base::InputError` when the arguments cannot be resolved. Without guards, there is no memory for the
  /// right contents of outputs either, and launches cannot be verified.
  DeviceArguments(const kernel_templates::KernelInstance& instance, std::uint64_t seed, CUstream stream,
                  std::size_t reserve_bytes, Guards guards = Guards::kAround);

  std::vector<DeviceArgument>& all() { return arguments_; }
  const std::vector<DeviceArgument>& all() const { return arguments_; }
  /// The total size in bytes of the buffers that a launch may access.
  std::size_t footprint_bytes() const;

  /// Adapts the arguments to a configuration: the sizes of scratch, the padding of rows, the boxes of tensor
  /// maps, and the extents of textures. Buffers get the kind of memory of the configuration, and managed
  /// memory its advice. Throws `CudaError` when the driver refuses a tensor map or a texture.
  void fit(const std::vector<kernel_templates::ResolvedArgument>& resolved);
  /// Restores inout contents and zeroed scratch, and moves the pages of managed memory to where launches find
  /// them. Must be called before every launch, after all other writes to the buffers.
  void restore();
  /// Whether `restore` has anything to do.
  bool needs_restore() const;
  /// Fills the outputs with values that no kernel writes by accident: NaN in floating types, 0xA5 bytes in
  /// integers.
  void poison_outputs();
  /// Fills the scratch that need not be zero with repetitions of `pattern`.
  void poison_scratch(std::uint32_t pattern);
  /// Uploads an input again after a kernel has overwritten it.
  void refill(std::size_t position);
  /// The seed from which the current contents of the inputs were generated.
  std::uint64_t seed() const { return seed_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  /// Must be called when an input's buffer has new contents. Copies them to the input's separate memory.
  /// Copies that launches made become invalid (`contents_version`).
  void note_new_input(DeviceArgument& argument);
  /// A number that changes whenever the contents of inputs change.
  std::uint64_t contents_version() const { return contents_version_; }
  bool any_separate() const;
  /// Copies buffers in separate memory, with their guards, to the buffers on the device that checks read, and
  /// padded rows without their padding and guards. The copies are enqueued.
  void fetch_separate();
  /// Restores the guards around a buffer, also in separate memory, and the padding of its rows.
  void write_guards(DeviceArgument& argument);
  /// Returns the values for `cuLaunchKernelEx`, which are valid until a buffer changes. `parameter_sizes`
  /// returns their sizes.
  std::vector<void*> launch_parameters();
  std::vector<std::size_t> parameter_sizes() const;

 private:
  void place(DeviceArgument& argument);
  void place_rows(DeviceArgument& argument);
  void send_to_separate(DeviceArgument& argument, CUdeviceptr contents);
  void encode(DeviceArgument& argument);
  void make_texture(DeviceArgument& argument, const kernel_templates::ResolvedArgument& resolved);
  void allocate_all(const std::vector<kernel_templates::ResolvedArgument>& resolved,
                    std::size_t reserve_bytes, bool with_reference);
  void check_memory(const std::vector<kernel_templates::ResolvedArgument>& resolved,
                    std::size_t reserve_bytes, bool with_reference) const;

  std::vector<DeviceArgument> arguments_;
  std::uint64_t seed_;
  std::uint64_t contents_version_ = 0;
  CUstream stream_;
};

}  // namespace warptune::profiling::driver
