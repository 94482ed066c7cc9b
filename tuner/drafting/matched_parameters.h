// The parameters of a kernel as its source writes them, with what a captured launch passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/data_type.h"
#include "kernel_templates/inspection/kernel_source.h"
#include "profiling/captures/captured_launch.h"

namespace warptune::tuner::drafting {

/// What `MatchedParameter::unknown_type` says of a pointer in a struct whose layout is unknown.
inline constexpr std::string_view kUnknownElements = "unknown elements";

/// Where a pointer of the launch points.
struct PointedPlace {
  std::size_t buffer = 0;
  std::uint64_t within = 0;  ///< In bytes. The size of the buffer, if it points to the end of the buffer.
};

/// One parameter, or one member of a struct. It is a struct if it has `struct_bytes`, a pointer to captured
/// memory if it has a place, else a number.
struct MatchedParameter {
  std::string name;  ///< That of a member `count` of a parameter `p` is `p_count`.
  kernel_templates::DataType type = kernel_templates::DataType::kU8;  ///< That of the elements or the number.
  std::string template_type;  ///< The parameter of the template that names the type. Empty if none does.
  /// The type of C++ of the elements, if no data type represents it. The elements are then its bytes.
  std::string unknown_type;
  bool is_constant = false;   ///< A pointer to constant elements.
  bool has_pointers = false;  ///< A pointer to elements that are pointers, or structs with pointers.
  std::optional<PointedPlace> place;
  std::string size;                   ///< A name for an integer of 32 bits or more: `N` for `n`.
  std::optional<std::int64_t> value;  ///< The value of an integer.
  std::string literal;                ///< The number in the language of expressions.
  /// The number has the bits of what the launch passed, in another type. It is a null pointer, a pointer to
  /// no captured memory, or a number that expressions do not have, such as NaN.
  bool is_bits = false;
  bool is_pointer = false;
  std::uint32_t struct_bytes = 0;
  std::vector<MatchedParameter> members;  ///< Those with other bytes than zeros.
  std::uint32_t at = 0;                   ///< The place of a member in its struct, in bytes.
};

/// Matches the parameters of `source` with those of the launch, in their order. The members of a struct are
/// those of its definition in the source. If that is unknown (`struct_layout`), they are words with its
/// bytes, and each aligned word that points to captured memory is a pointer. Throws `base::InputError`, with
/// one sentence that names the kernel and the parameter, in these cases:
/// * The numbers, sizes or types of the parameters differ.
/// * A parameter is a tensor map, or a pointer to pointers.
std::vector<MatchedParameter> matched_parameters(const kernel_templates::inspection::KernelSource& source,
                                                 const profiling::captures::CapturedLaunch& launch);

/// Calls `visit` for all parameters in order. Instead of a struct, it is called for each of its members.
void visit_values(std::vector<MatchedParameter>& parameters,
                  const std::function<void(MatchedParameter&)>& visit);
void visit_values(const std::vector<MatchedParameter>& parameters,
                  const std::function<void(const MatchedParameter&)>& visit);

/// What a type of C++ is in definitions: that of the template argument, if `written` is a parameter of the
/// template. Empty for a type that is not known.
std::string type_of_template(const kernel_templates::inspection::KernelSource& source,
                             const profiling::captures::CapturedLaunch& launch, std::string_view written);

}  // namespace warptune::tuner::drafting
