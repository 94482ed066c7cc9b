#pragma once

#include <unistd.h>

#include "base/unique_handle.h"

namespace warptune::base {

struct DescriptorTraits {
  using Handle = int;
  static Handle null() { return -1; }
  static void close(Handle descriptor) { ::close(descriptor); }
};

/// A file descriptor that is closed at the end. -1 if there is none.
using Descriptor = UniqueHandle<DescriptorTraits>;

}  // namespace warptune::base
