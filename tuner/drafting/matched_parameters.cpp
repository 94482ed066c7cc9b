#include "tuner/drafting/matched_parameters.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/inspection/parameter_layout.h"
#include "kernel_templates/inspection/structs/struct_layout.h"
#include "kernel_templates/inspection/written_types.h"
#include "tuner/drafting/captured_values.h"
#include "tuner/drafting/instance_name.h"

namespace warptune::tuner::drafting {

namespace inspection = kernel_templates::inspection;
using profiling::captures::CapturedLaunch;
using profiling::captures::CapturedParameter;

namespace {

class Matching {
 public:
  Matching(const inspection::KernelSource& source, const CapturedLaunch& launch)
      : source_(source), launch_(launch), values_(source, launch) {
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
    std::set<std::string> names;
    for (const MatchedParameter& parameter : matched) names.insert(parameter.name);
    for (MatchedParameter& parameter : matched) {
      for (MatchedParameter& member : parameter.members) {
        while (!names.insert(member.name).second) member.name += "_";
      }
    }
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
    } else if (const auto* type = known_type(i, written, captured_type(i), parameter);
               type != nullptr && type->elements == 1) {
      match_number(i, *type, parameter);
    } else {
      match_struct(i, written, type, parameter);
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
    values_.set_elements(pointee, captured, type, parameter);
    values_.set_target(launch_.parameters[i], parameter);
  }

  void match_number(std::size_t i, const inspection::WrittenType& type, MatchedParameter& parameter) {
    require_bytes(i,
                  static_cast<std::uint32_t>(info(*kernel_templates::parse_data_type(type.type)).size_bytes));
    values_.set_number(launch_.parameters[i], type, inspection::upper_case(parameter.name), parameter);
  }

  // A struct, a vector, or another type that is not known, such as an enumeration.
  void match_struct(std::size_t i, const std::string& written, const inspection::WrittenType* vector,
                    MatchedParameter& parameter) const {
    if (written.find("CUtensorMap") != std::string::npos || captured_type(i).starts_with("CUtensorMap"))
      refuse(i,
             "is a tensor map, of whose buffer and box a capture knows nothing; write its argument by hand "
             "(kind = \"tensor_map\")");
    const CapturedParameter& whole = launch_.parameters[i];
    std::optional<inspection::structs::StructLayout> layout =
        vector == nullptr
            ? values_.layout_of(written, captured_type(i))
            : inspection::structs::struct_layout(fmt::format("struct v {{ {} v; }};", vector->written), "v");
    // The source may define another struct that has the same name without its namespaces.
    const bool is_qualified = (written + captured_type(i)).find("::") != std::string::npos;
    if (layout && layout->bytes != whole.bytes && is_qualified) layout.reset();
    if (layout && layout->bytes != whole.bytes)
      refuse(i, fmt::format("is '{}' with {} in {}, but has {} in the capture", written,
                            base::counted(layout->bytes, "byte"), source_.file_name(), whole.bytes));
    const bool is_number = whole.bytes == 1 || whole.bytes == 2 || whole.bytes == 4;
    if (!layout && is_number) return values_.set_bits(whole, parameter);
    parameter.struct_bytes = whole.bytes;
    if (!layout) {
      parameter.unknown_type = written;
      return values_.add_words(whole, parameter);
    }
    for (const inspection::structs::StructMember& one : layout->members) {
      MatchedParameter member;
      member.name = fmt::format("{}_{}", parameter.name, one.name);
      member.at = one.at;
      values_.add_member(one, whole, member);
      const bool is_zero = !member.place && (member.literal == "0" || member.literal == "0.0");
      if (!is_zero || !member.size.empty()) parameter.members.push_back(std::move(member));
    }
  }

  void require_bytes(std::size_t i, std::uint32_t expected) const {
    const std::uint32_t found = launch_.parameters[i].bytes;
    if (found == expected) return;
    refuse(i, fmt::format("is '{}' with {} in {}, but has {} in the capture",
                          source_.kernel().parameters[i].type, base::counted(expected, "byte"),
                          source_.file_name(), found));
  }

  const inspection::KernelSource& source_;
  const CapturedLaunch& launch_;
  CapturedValues values_;
  std::vector<std::string> types_;  ///< As the mangled name has them; empty if it has none.
};

}  // namespace

std::vector<MatchedParameter> matched_parameters(const inspection::KernelSource& source,
                                                 const CapturedLaunch& launch) {
  return Matching(source, launch).run();
}

void visit_values(std::vector<MatchedParameter>& parameters,
                  const std::function<void(MatchedParameter&)>& visit) {
  for (MatchedParameter& parameter : parameters) {
    if (parameter.struct_bytes == 0) visit(parameter);
    for (MatchedParameter& member : parameter.members) visit(member);
  }
}

void visit_values(const std::vector<MatchedParameter>& parameters,
                  const std::function<void(const MatchedParameter&)>& visit) {
  for (const MatchedParameter& parameter : parameters) {
    if (parameter.struct_bytes == 0) visit(parameter);
    for (const MatchedParameter& member : parameter.members) visit(member);
  }
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
