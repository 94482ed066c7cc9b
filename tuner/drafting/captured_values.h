// What a captured launch passed, in the terms of definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/inspection/kernel_source.h"
#include "kernel_templates/inspection/structs/struct_layout.h"
#include "kernel_templates/inspection/written_types.h"
#include "profiling/captures/captured_launch.h"
#include "tuner/drafting/matched_parameters.h"

namespace warptune::tuner::drafting {

inline constexpr std::uint32_t kPointerBytes = 8;  ///< The size of a pointer on the GPU.

/// Reads numbers, pointers and members of structs from the block of parameters. The source and the launch
/// must outlive it.
class CapturedValues {
 public:
  CapturedValues(const kernel_templates::inspection::KernelSource& source,
                 const profiling::captures::CapturedLaunch& launch);

  /// Sets the type of the elements to which a pointer points. If they are structs whose members have one
  /// type, it is this type. `type` is null if the type is not known. `captured` is the name of the elements'
  /// type in the mangled name, or empty.
  void set_elements(const kernel_templates::inspection::PointedType& pointee, const std::string& captured,
                    const kernel_templates::inspection::WrittenType* type, MatchedParameter& parameter) const;
  /// Sets where the pointer in these 8 bytes points.
  void set_target(const profiling::captures::CapturedParameter& bytes, MatchedParameter& parameter) const;
  /// Sets a number with the same bits, of 1, 2, 4 or 8 bytes.
  void set_bits(const profiling::captures::CapturedParameter& bytes, MatchedParameter& parameter) const;
  /// Sets the number in these bytes. `size` is its name if it may be a size.
  void set_number(const profiling::captures::CapturedParameter& bytes,
                  const kernel_templates::inspection::WrittenType& type, const std::string& size,
                  MatchedParameter& parameter) const;
  /// Sets a member of the struct that has the bytes `whole`.
  void add_member(const kernel_templates::inspection::structs::StructMember& one,
                  const profiling::captures::CapturedParameter& whole, MatchedParameter& member) const;
  /// Adds the members of a struct whose layout is unknown: pointers to captured memory, and the other bytes
  /// in words of 8, 4, 2 or 1 bytes.
  void add_words(const profiling::captures::CapturedParameter& whole, MatchedParameter& parameter) const;
  /// The layout of a struct in the source. `written` may be a name that the source gives to `captured`, such
  /// as a parameter of a template.
  std::optional<kernel_templates::inspection::structs::StructLayout> layout_of(
      const std::string& written, const std::string& captured) const;

 private:
  const kernel_templates::inspection::KernelSource& source_;
  const profiling::captures::CapturedLaunch& launch_;
  std::vector<profiling::captures::PointerPlace> places_;
};

}  // namespace warptune::tuner::drafting
