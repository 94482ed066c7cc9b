// The names of variables of device code, from their mangled names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::drafting {

/// The name of a variable that is in no namespace: `c_weights` or, if it is static, `_ZL9c_weights`.
std::optional<std::string> plain_name(std::string_view mangled);

/// The last part of a nested name: `w` of `_ZN2ns1wE`, and of `_ZN2nsL1wE` if it is static. Returns
/// std::nullopt if the name has other parts than these.
std::optional<std::string> last_name(std::string_view mangled);

}  // namespace warptune::tuner::drafting
