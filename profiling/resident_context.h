#pragma once

#include <cstddef>
#include <cstdint>

namespace warptune::profiling {

/// The CUDA context in which a program's resident kernels stay loaded (`ResidentKernel`).
class ResidentContext {
 public:
  /// Uses the calling thread's current context, which must belong to the device `ordinal` and must outlive
  /// this object. If the thread has no context, retains the device's primary context and uses that. Throws
  /// `base::InputError` if the current context belongs to another device, and `base::MachineError` if the
  /// driver refuses.
  explicit ResidentContext(int ordinal);
  ~ResidentContext();
  ResidentContext(const ResidentContext&) = delete;
  ResidentContext& operator=(const ResidentContext&) = delete;

  /// Makes the context current in the calling thread for the lifetime of the object.
  class Use {
   public:
    /// Throws `base::MachineError` if the driver refuses the context.
    explicit Use(const ResidentContext& context);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

  int ordinal() const { return ordinal_; }
  void* get() const { return context_; }  ///< The `CUcontext`.

 private:
  int ordinal_;
  void* context_ = nullptr;
  bool is_retained_ = false;
};

/// The ordinal of the device of the calling thread's current context; 0 if the thread has no context. Throws
/// `base::MachineError` if there is no driver.
int current_device();

/// Copies from the current context's device memory, after all work that was given to the context has ended:
/// a stream of the program may still write this memory. Throws `base::MachineError` with the driver's reason
/// if the driver refuses.
void copy_to_host(void* to, std::uint64_t from, std::size_t bytes);

}  // namespace warptune::profiling
