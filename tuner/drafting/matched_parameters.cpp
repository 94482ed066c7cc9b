#include "tuner/drafting/matched_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/inspection/parameter_layout.h"
#include "kernel_templates/inspection/written_types.h"
#include "tuner/drafting/instance_name.h"

namespace warptune::tuner::drafting {

namespace inspection = kernel_templates::inspection;
using kernel_templates::DataType;
using profiling::captures::CapturedLaunch;
using profiling::captures::CapturedParameter;
using profiling::captures::PointerPlace;

namespace {

constexpr std::uint32_t kPointerBytes = 8;
// Two inputs of one allocation may be views of the same elements, such as the columns of q and k. They are,
// if less than this part (1 / kPartOfBuffer) of what follows in the allocation is between them.
constexpr std::uint64_t kPartOfBuffer = 8;

std::uint64_t word_at(const CapturedLaunch& launch, const CapturedParameter& parameter) {
  std::uint64_t word = 0;
  std::memcpy(&word, launch.parameter_bytes.data() + parameter.offset,
              std::min<std::size_t>(parameter.bytes, sizeof(word)));
  return word;
}

std::int64_t integer_of(std::uint64_t word, const kernel_templates::DataTypeInfo& type) {
  if (!type.is_signed || type.size_bytes == sizeof(word)) return static_cast<std::int64_t>(word);
  const std::uint64_t sign = std::uint64_t{1} << (8 * type.size_bytes - 1);
  return static_cast<std::int64_t>((word ^ sign) - sign);
}

class Matching {
 public:
  Matching(const inspection::KernelSource& source, const CapturedLaunch& launch)
      : source_(source), launch_(launch), places_(launch.pointers()) {
    const auto types = inspection::parameter_types(launch.kernel);
    if (types && types->size() == launch.parameters.size()) types_ = *types;
  }

  std::vector<MatchedParameter> run() {
    const std::size_t written = source_.kernel().parameters.size();
    if (written != launch_.parameters.size()) {
      throw base::InputError(fmt::format("{} has {} in {}, but {} in the capture", source_.kernel().name,
                                         base::counted(written, "parameter"), source_.file_name(),
                                         launch_.parameters.size()));
    }
    std::vector<MatchedParameter> matched;
    for (std::size_t i = 0; i < written; ++i) matched.push_back(matched_at(i));
    for (MatchedParameter& parameter : matched) end_before_others(parameter, matched);
    return matched;
  }

 private:
  std::string captured_type(std::size_t i) const { return types_.empty() ? "" : types_[i]; }
  std::string named(std::size_t i) const {
    return fmt::format("'{}' of {}", source_.parameter_name(i), source_.kernel().name);
  }
  [[noreturn]] void refuse(std::size_t i, const std::string& what) const {
    throw base::InputError(fmt::format("{} {}", named(i), what));
  }
  [[noreturn]] void refuse_types(std::size_t i) const {
    refuse(i, fmt::format("is '{}' in {}, but '{}' in the capture", source_.kernel().parameters[i].type,
                          source_.file_name(), captured_type(i)));
  }

  MatchedParameter matched_at(std::size_t i) {
    const std::string& written = source_.kernel().parameters[i].type;
    MatchedParameter parameter;
    parameter.name = source_.parameter_name(i);
    const bool is_pointer = written.ends_with('*') || captured_type(i).ends_with('*');
    const bool is_captured_number = !captured_type(i).empty() && !captured_type(i).ends_with('*');
    const bool is_written_number = inspection::written_type(written) != nullptr;
    if (is_pointer && (is_captured_number || is_written_number)) refuse_types(i);
    if (is_pointer) {
      match_pointer(i, written.ends_with('*') ? written : captured_type(i), parameter);
    } else {
      match_number(i, written, parameter);
    }
    return parameter;
  }

  // The data type for a type of C++, of the source and of the capture. Null if neither is known.
  const inspection::WrittenType* known_type(std::size_t i, const std::string& written,
                                            const std::string& captured, MatchedParameter& parameter) {
    const std::string of_template = type_of_template(source_, launch_, written);
    const inspection::WrittenType* type =
        inspection::written_type(of_template.empty() ? written : of_template);
    const inspection::WrittenType* found = inspection::written_type(captured);
    if (type != nullptr && found != nullptr &&
        (type->type != found->type || type->elements != found->elements))
      refuse_types(i);
    if (type != nullptr && !of_template.empty()) parameter.template_type = written;
    return type != nullptr ? type : found;
  }

  void match_pointer(std::size_t i, const std::string& written, MatchedParameter& parameter) {
    require_bytes(i, kPointerBytes);
    const inspection::PointedType pointee = inspection::pointed_type(written);
    if (pointee.type.find('*') != std::string::npos) source_.refuse_pointer_to_pointers(parameter.name);
    const std::string captured =
        captured_type(i).empty() ? "" : inspection::pointed_type(captured_type(i)).type;
    const inspection::WrittenType* type = known_type(i, pointee.type, captured, parameter);
    parameter.is_constant = pointee.is_constant;
    if (type != nullptr) {
      parameter.type = *kernel_templates::parse_data_type(type->type);
    } else {
      parameter.unknown_type = pointee.type;
    }
    const std::uint32_t offset = launch_.parameters[i].offset;
    const auto place = std::find_if(places_.begin(), places_.end(),
                                    [&](const PointerPlace& one) { return one.offset == offset; });
    if (place == places_.end()) {
      refuse(i, word_at(launch_, launch_.parameters[i]) == 0
                    ? "is a null pointer in the capture, which a definition cannot pass"
                    : "is a pointer, but the capture does not have the memory to which it points");
    }
    parameter.range = {place->buffer, place->within, launch_.buffers[place->buffer].before.size()};
  }

  void match_number(std::size_t i, const std::string& written, MatchedParameter& parameter) {
    const inspection::WrittenType* type = known_type(i, written, captured_type(i), parameter);
    if (type == nullptr || type->elements != 1) source_.refuse_type(parameter.name, written);
    parameter.type = *kernel_templates::parse_data_type(type->type);
    if (inspection::is_size(*type)) parameter.size = inspection::upper_case(parameter.name);
    const kernel_templates::DataTypeInfo& known = info(parameter.type);
    require_bytes(i, static_cast<std::uint32_t>(known.size_bytes));
    const std::uint64_t word = word_at(launch_, launch_.parameters[i]);
    if (known.floating) {
      parameter.literal = real_text(i, parameter.type, word);
      return;
    }
    if (!known.is_signed && word > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      refuse(i, fmt::format("is {} in the capture, which a definition cannot pass", word));
    parameter.value = integer_of(word, known);
    parameter.literal = std::to_string(*parameter.value);
  }

  std::string real_text(std::size_t i, DataType type, std::uint64_t word) const {
    const double value = kernel_templates::element_as_double(type, reinterpret_cast<const std::byte*>(&word));
    if (!std::isfinite(value))
      refuse(i, fmt::format("is {} in the capture, which a definition cannot pass", value));
    // The shortest text that gives the same number in the type.
    return type == DataType::kF64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  }

  void require_bytes(std::size_t i, std::uint32_t expected) const {
    const std::uint32_t found = launch_.parameters[i].bytes;
    if (found == expected) return;
    refuse(i, fmt::format("is '{}' with {} in {}, but has {} in the capture",
                          source_.kernel().parameters[i].type, base::counted(expected, "byte"),
                          source_.file_name(), found));
  }

  // An allocation may hold several buffers. Each ends where the next one begins. Inputs that look like views
  // of the same elements do not end there, because each argument of a definition has memory of its own.
  void end_before_others(MatchedParameter& parameter, const std::vector<MatchedParameter>& all) const {
    if (!parameter.range) return;
    for (const MatchedParameter& other : all) {
      if (&other == &parameter || !other.range || other.range->buffer != parameter.range->buffer) continue;
      const std::uint64_t begin = parameter.range->begin;
      const std::uint64_t rest = launch_.buffers[parameter.range->buffer].before.size() - begin;
      const bool is_view = parameter.is_constant && other.range->begin - begin < rest / kPartOfBuffer;
      if (other.range->begin > begin && other.range->begin < parameter.range->end && !is_view) {
        parameter.range->end = other.range->begin;
        parameter.ends_before = other.name;
      }
      if (other.range->begin == parameter.range->begin && !parameter.is_constant && !other.is_constant) {
        throw base::InputError(fmt::format(
            "'{}' and '{}' of {} point to the same memory in the capture, but arguments of a definition have "
            "memory of their own; if the kernel only reads one of them, declare it const",
            parameter.name, other.name, source_.kernel().name));
      }
    }
  }

  const inspection::KernelSource& source_;
  const CapturedLaunch& launch_;
  std::vector<PointerPlace> places_;
  std::vector<std::string> types_;  ///< As the mangled name has them; empty if it has none.
};

}  // namespace

std::vector<MatchedParameter> matched_parameters(const inspection::KernelSource& source,
                                                 const CapturedLaunch& launch) {
  return Matching(source, launch).run();
}

std::string type_of_template(const inspection::KernelSource& source, const CapturedLaunch& launch,
                             std::string_view written) {
  const auto& parameters = source.kernel().template_parameters;
  const std::vector<std::string> arguments = instance_name(launch.name).template_arguments;
  if (arguments.size() != parameters.size()) return "";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_type = parameters[i].type == "typename" || parameters[i].type == "class";
    if (is_type && parameters[i].name == written) return arguments[i];
  }
  return "";
}

}  // namespace warptune::tuner::drafting
