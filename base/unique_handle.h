#pragma once

#include <utility>

namespace warptune::base {

/// Owns one C handle. `Traits` has the type `Handle`, `static Handle null()` and `static void close(Handle)`.
template <class Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Traits::null(); }
  Handle release() { return std::exchange(handle_, Traits::null()); }
  void reset(Handle handle = Traits::null()) {
    const Handle old = std::exchange(handle_, handle);
    if (old != Traits::null()) Traits::close(old);
  }
  /// For C calls that write a handle. Closes the handle that was held before.
  Handle* out() {
    reset();
    return &handle_;
  }

 private:
  Handle handle_ = Traits::null();
};

}  // namespace warptune::base
