#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace warptune::base {

/// A value, or the reason why there is no value. It is for failures that callers handle as data, such as a
/// configuration that does not compile. A failed session throws `Error`.
template <class T, class E = std::string>
using Result = tl::expected<T, E>;

template <class E>
tl::unexpected<std::decay_t<E>> failure(E&& reason) {
  return tl::unexpected<std::decay_t<E>>(std::forward<E>(reason));
}

}  // namespace warptune::base
