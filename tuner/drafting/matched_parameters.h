// The parameters of a kernel as its source writes them, with what a captured launch passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/data_type.h"
#include "kernel_templates/inspection/kernel_source.h"
#include "profiling/captures/captured_launch.h"

namespace warptune::tuner::drafting {

/// A part of a captured buffer, to which a parameter points.
struct BufferRange {
  std::size_t buffer = 0;
  std::uint64_t begin = 0;  ///< In bytes, as `end`.
  std::uint64_t end = 0;
};

/// One parameter. It is a pointer if it has a range, else a number.
struct MatchedParameter {
  std::string name;
  kernel_templates::DataType type = kernel_templates::DataType::kU8;  ///< That of the elements or the number.
  std::string template_type;  ///< The parameter of the template that names the type. Empty if none does.
  /// The type of C++ of the elements, if no data type represents it. The elements are then its bytes.
  std::string unknown_type;
  bool is_constant = false;  ///< A pointer to constant elements.
  std::optional<BufferRange> range;
  std::string ends_before;            ///< The parameter at whose address the range ends, if another one does.
  std::string size;                   ///< A name for an integer of 32 bits or more: `N` for `n`.
  std::optional<std::int64_t> value;  ///< The value of an integer.
  std::string literal;                ///< The number in the language of expressions.
};

/// Matches the parameters of `source` with those of the launch, in their order. Throws `base::InputError`,
/// with one sentence that names the kernel and the parameter, in these cases:
/// * The numbers, sizes or types of the parameters differ.
/// * The capture does not have the buffer of a pointer.
/// * Two pointers to elements that the kernel may change point to the same memory.
/// * A definition cannot pass a type or a value.
std::vector<MatchedParameter> matched_parameters(const kernel_templates::inspection::KernelSource& source,
                                                 const profiling::captures::CapturedLaunch& launch);

/// What a type of C++ is in definitions: that of the template argument, if `written` is a parameter of the
/// template. Empty for a type that is not known.
std::string type_of_template(const kernel_templates::inspection::KernelSource& source,
                             const profiling::captures::CapturedLaunch& launch, std::string_view written);

}  // namespace warptune::tuner::drafting
