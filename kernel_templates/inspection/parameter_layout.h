#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::kernel_templates::inspection {

/// A parameter of a kernel in the constant bank from which compiled code reads it.
struct ParameterSlot {
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;
};

/// The parameters of a kernel in order, from the attributes that the assembler writes into a cubin (the
/// section `.nv.info.SYMBOL`, attribute EIATTR_KPARAM_INFO). Returns std::nullopt if the bytes are not an ELF
/// file, if it has no such section, or if the section has parameters in another form.
std::optional<std::vector<ParameterSlot>> parameter_layout(std::string_view cubin, const std::string& symbol);

/// The types of a kernel's parameters in C++, from its mangled symbol: `float const*`, `long long`. Returns
/// std::nullopt if the symbol is not mangled (`extern "C"`).
std::optional<std::vector<std::string>> parameter_types(const std::string& symbol);

}  // namespace warptune::kernel_templates::inspection
