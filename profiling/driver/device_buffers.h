#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/driver/guarded_buffer.h"
#include "profiling/driver/texture_object.h"

namespace warptune::profiling::driver {

/// What is right in an output. It lies in memory that the kernel could read, so it is masked.
struct Reference {
  DeviceMemory memory;  ///< Whole words of 8 bytes.
  std::uint64_t key = 0;
  std::uint64_t checksum = 0;  ///< Of `memory`.

  MaskedMemory masked() const { return {memory.get(), key}; }
  static std::size_t bytes_for(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

/// Another set of inputs, and what is right for it.
struct OtherSet {
  DeviceMemory first;  ///< The first contents of an input that depends on the seed; else nothing.
  std::uint64_t checksum = 0;
  Reference reference;
};

/// One argument of the kernel, where it lies.
struct DeviceArgument {
  kernel_templates::ResolvedArgument argument;
  GuardedBuffer buffer;  ///< Not for scalars. Of an argument in the host's memory: what it is checked by.
  HostBuffer pinned;     ///< Of an argument in the host's memory.
  HostBuffer pageable;
  DeviceMemory pristine;  ///< inout: the first contents.
  Reference reference;    ///< out, inout: what is right, once known.
  OtherSet other;
  std::vector<std::byte> scalar;
  CUtensorMap tensor_map{};
  TextureObject texture;
  CUdeviceptr pointer =
      0;  ///< Where a launch finds it: `buffer.data()`, or in the host's memory; a texture's handle.
  std::uint64_t checksum = 0;  ///< in: of the first contents; inout: of `pristine`.

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
  bool on_host() const { return argument.memory != kernel_templates::Memory::kDevice; }
  /// The host's buffer that a configuration uses.
  HostBuffer& host() { return argument.memory == kernel_templates::Memory::kPinned ? pinned : pageable; }
};

/// A configuration to size buffers by: the default, or the space's first where the definition names none.
model::NamedValues some_configuration(const kernel_templates::KernelInstance& instance);

/// All arguments of one kernel instance on the device.
class DeviceArguments {
 public:
  /// Allocates and fills. `reserve_bytes` is what the caller needs beside. Throws `base::MachineError` naming
  /// the sizes when the memory does not suffice, `base::InputError` when the arguments cannot be resolved.
  DeviceArguments(const kernel_templates::KernelInstance& instance, std::uint64_t seed, CUstream stream,
                  std::size_t reserve_bytes);

  std::vector<DeviceArgument>& all() { return arguments_; }
  const std::vector<DeviceArgument>& all() const { return arguments_; }
  /// Buffers that a launch may touch, in bytes.
  std::size_t footprint_bytes() const;

  /// Gives scratch the sizes, tensor maps the boxes, textures the extents, and buffers the kind of memory of
  /// a configuration. Throws `CudaError` where the driver refuses a tensor map or a texture.
  void fit(const std::vector<kernel_templates::ResolvedArgument>& resolved);
  /// Before every launch: inout contents and zeroed scratch as at first.
  void restore();
  /// Whether `restore` has anything to do.
  bool needs_restore() const;
  /// Outputs hold what no kernel writes by chance: NaN in floating types, 0xA5 bytes in integers.
  void poison_outputs();
  /// Scratch that is not zeroed holds `pattern`, over and over.
  void poison_scratch(std::uint32_t pattern);
  /// Uploads an input anew after a kernel wrote it.
  void refill(std::size_t position);
  /// Of what the inputs hold.
  std::uint64_t seed() const { return seed_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  /// An input's buffer holds something else now: so does its memory on the host, of whatever kind
  /// configurations have wanted it, and copies that a launch took (`contents_version`) are old.
  void note_new_input(DeviceArgument& argument);
  /// Another number whenever inputs hold something else.
  std::uint64_t contents_version() const { return contents_version_; }
  bool any_on_host() const;
  /// What buffers in the host's memory hold, with their guards, becomes what is checked; enqueued.
  void fetch_from_host();
  /// Guards round a buffer as at first, also in the host's memory.
  void write_guards(DeviceArgument& argument);
  /// Values for `cuLaunchKernelEx`, valid until a buffer changes, and their sizes.
  std::vector<void*> launch_parameters();
  std::vector<std::size_t> parameter_sizes() const;

 private:
  void place(DeviceArgument& argument);
  void send_to_host(DeviceArgument& argument, CUdeviceptr contents);
  void encode(DeviceArgument& argument);
  void make_texture(DeviceArgument& argument, const kernel_templates::ResolvedArgument& resolved);
  void allocate_all(std::size_t reserve_bytes, bool with_reference);
  void check_memory(std::size_t reserve_bytes, bool with_reference) const;

  std::vector<DeviceArgument> arguments_;
  std::uint64_t seed_;
  std::uint64_t contents_version_ = 0;
  CUstream stream_;
};

}  // namespace warptune::profiling::driver
