#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "profiling/program_memory.h"
#include "python/native/calls/array_view.h"

namespace warptune::python::native::calls {

/// The workspace of one launch, from the allocator of the library that owns the arrays. The destructor gives
/// it back in stream order: later work on the same stream may get the memory.
class CallWorkspace {
 public:
  /// The memory comes from `own` if the library has no allocator. The device's context must be current.
  /// Throws `nanobind::python_error` if the allocator raises an exception, and the errors of
  /// `StreamWorkspaces::of`.
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
