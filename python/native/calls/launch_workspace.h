#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "profiling/program_memory.h"
#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// The workspace of one launch, from the allocator of the library that owns the arrays. It is given back with
/// the object, in the order of the stream: later work on this stream may get the memory.
class CallWorkspace {
 public:
  /// `own` is used where no library has an allocator. The device's context must be current. Throws
  /// `nanobind::python_error` if the allocator raises an exception, and as `StreamWorkspaces::of` does.
  CallWorkspace(ArrayLibrary library, void* stream, std::uint64_t bytes, profiling::StreamWorkspaces& own);
  ~CallWorkspace();
  CallWorkspace(const CallWorkspace&) = delete;
  CallWorkspace& operator=(const CallWorkspace&) = delete;

  std::uint64_t address() const { return address_; }

 private:
  std::uint64_t address_ = 0;
  nanobind::object torch_address_;
  nanobind::object cupy_memory_;
};

}  // namespace warptune::python::native::calls
