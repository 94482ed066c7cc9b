#include "tuner/drafting/captured_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/inspection/structs/struct_layout.h"

namespace warptune::tuner::drafting {

namespace inspection = kernel_templates::inspection;
using kernel_templates::DataType;
using profiling::captures::CapturedLaunch;
using profiling::captures::CapturedParameter;
using profiling::captures::PointerPlace;

namespace {

// The little-endian number in some bytes of the block of parameters.
std::uint64_t word_at(const CapturedLaunch& launch, const CapturedParameter& bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, launch.parameter_bytes.data() + bytes.offset,
              std::min<std::size_t>(bytes.bytes, sizeof(word)));
  return word;
}

// The signed type with as many bytes, at most 8.
DataType signed_type(std::size_t bytes) {
  return bytes == 1   ? DataType::kI8
         : bytes == 2 ? DataType::kI16
         : bytes == 4 ? DataType::kI32
                      : DataType::kI64;
}

std::int64_t integer_of(std::uint64_t word, const kernel_templates::DataTypeInfo& type) {
  if (!type.is_signed || type.size_bytes == sizeof(word)) return static_cast<std::int64_t>(word);
  const std::uint64_t sign = std::uint64_t{1} << (8 * type.size_bytes - 1);
  return static_cast<std::int64_t>((word ^ sign) - sign);
}

// The type of all members, if it is the same, and nothing is between them.
std::optional<DataType> type_of_members(const inspection::structs::StructLayout& layout) {
  std::uint32_t end = 0;
  for (const inspection::structs::StructMember& member : layout.members) {
    const inspection::WrittenType* type = inspection::written_type(member.type);
    if (type == nullptr || member.type != layout.members.front().type || member.at != end)
      return std::nullopt;
    end += static_cast<std::uint32_t>(info(*kernel_templates::parse_data_type(type->type)).size_bytes);
  }
  if (end != layout.bytes) return std::nullopt;
  return kernel_templates::parse_data_type(inspection::written_type(layout.members.front().type)->type);
}

}  // namespace

CapturedValues::CapturedValues(const inspection::KernelSource& source, const CapturedLaunch& launch)
    : source_(source), launch_(launch), places_(launch.pointers()) {}

void CapturedValues::set_elements(const inspection::PointedType& pointee, const std::string& captured,
                                  const inspection::WrittenType* type, MatchedParameter& parameter) const {
  parameter.is_constant = pointee.is_constant;
  const auto layout = type == nullptr ? layout_of(pointee.type, captured) : std::nullopt;
  parameter.has_pointers =
      pointee.type.find('*') != std::string::npos || (layout && inspection::structs::has_pointers(*layout));
  std::optional<DataType> of_elements;
  if (type != nullptr) of_elements = kernel_templates::parse_data_type(type->type);
  if (layout) of_elements = type_of_members(*layout);
  if (of_elements) {
    parameter.type = *of_elements;
  } else {
    parameter.unknown_type = pointee.type;
  }
}

std::optional<inspection::structs::StructLayout> CapturedValues::layout_of(
    const std::string& written, const std::string& captured) const {
  const auto layout = inspection::structs::struct_layout(source_.code(), written);
  return layout || captured.empty() ? layout : inspection::structs::struct_layout(source_.code(), captured);
}

void CapturedValues::set_target(const CapturedParameter& bytes, MatchedParameter& parameter) const {
  parameter.is_pointer = true;
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const PointerPlace& one) { return one.offset == bytes.offset; });
  if (place != places_.end()) {
    parameter.place = {place->buffer, place->within};
  } else {
    set_bits(bytes, parameter);
  }
}

void CapturedValues::set_bits(const CapturedParameter& bytes, MatchedParameter& parameter) const {
  parameter.type = signed_type(bytes.bytes);
  parameter.template_type.clear();
  parameter.is_bits = true;
  parameter.literal = std::to_string(integer_of(word_at(launch_, bytes), info(parameter.type)));
}

void CapturedValues::set_number(const CapturedParameter& bytes, const inspection::WrittenType& type,
                                const std::string& size, MatchedParameter& parameter) const {
  parameter.type = *kernel_templates::parse_data_type(type.type);
  const kernel_templates::DataTypeInfo& known = info(parameter.type);
  const std::uint64_t word = word_at(launch_, bytes);
  if (known.floating) {
    const double value =
        kernel_templates::element_as_double(parameter.type, reinterpret_cast<const std::byte*>(&word));
    const bool is_negative_zero = value == 0.0 && std::signbit(value);
    if (!std::isfinite(value) || is_negative_zero) return set_bits(bytes, parameter);
    // The shortest text that gives the same number in the type.
    parameter.literal = parameter.type == DataType::kF64 ? fmt::format("{}", value)
                                                         : fmt::format("{}", static_cast<float>(value));
    return;
  }
  if (!known.is_signed && word > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return set_bits(bytes, parameter);
  if (inspection::is_size(type)) parameter.size = size;
  parameter.value = integer_of(word, known);
  parameter.literal = std::to_string(*parameter.value);
}

void CapturedValues::add_member(const inspection::structs::StructMember& one, const CapturedParameter& whole,
                                MatchedParameter& member) const {
  if (one.type.ends_with('*')) {
    const inspection::PointedType pointee = inspection::pointed_type(one.type);
    set_elements(pointee, "", inspection::written_type(pointee.type), member);
    set_target({whole.offset + one.at, kPointerBytes}, member);
    return;
  }
  const inspection::WrittenType& type = *inspection::written_type(one.type);
  const auto bytes =
      static_cast<std::uint32_t>(info(*kernel_templates::parse_data_type(type.type)).size_bytes);
  set_number({whole.offset + one.at, bytes}, type, inspection::upper_case(one.name), member);
}

void CapturedValues::add_words(const CapturedParameter& whole, MatchedParameter& parameter) const {
  for (std::uint32_t at = 0; at < whole.bytes;) {
    std::uint32_t bytes = kPointerBytes;
    while (bytes > whole.bytes - at || (whole.offset + at) % bytes != 0) bytes /= 2;
    const CapturedParameter word{whole.offset + at, bytes};
    MatchedParameter member;
    member.name = fmt::format("{}_{}", parameter.name, at);
    member.unknown_type = kUnknownElements;
    member.at = at;
    set_target(word, member);
    if (!member.place) member.is_pointer = false;
    if (member.place || member.literal != "0") parameter.members.push_back(std::move(member));
    at += bytes;
  }
}

}  // namespace warptune::tuner::drafting
