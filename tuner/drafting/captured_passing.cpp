#include "tuner/drafting/captured_passing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "kernel_templates/data_type.h"

namespace warptune::tuner::drafting {

namespace {

class PassingWriter {
 public:
  PassingWriter(const std::vector<DraftedBuffer>& buffers, ProblemSizes& sizes,
                const std::function<std::string(const MatchedParameter&)>& type_text)
      : buffers_(buffers), sizes_(sizes), type_text_(type_text) {}

  // A number is written as a size if any offset uses the size, so all offsets choose theirs first.
  void use_sizes(const MatchedParameter& parameter) {
    if (parameter.place) offset_text(offset_of(parameter));
  }

  // A line of the list.
  std::string line(const MatchedParameter& parameter) {
    if (parameter.struct_bytes > 0) return struct_lines(parameter);
    if (!parameter.place && !parameter.is_bits) return fmt::format("  \"{}\",\n", parameter.name);
    if (parameter.place && parameter.place->within == 0)
      return fmt::format("  \"{}\",{}\n", buffer_of(parameter).name, comment(parameter));
    return fmt::format("  {{ {} }},{}\n", fields(parameter), comment(parameter));
  }

 private:
  const DraftedBuffer& buffer_of(const MatchedParameter& pointer) const {
    return drafted_buffer(buffers_, pointer.place->buffer);
  }

  // Says whose pointer it is, if the buffer has another name.
  std::string comment(const MatchedParameter& parameter) {
    if (parameter.place)
      return buffer_of(parameter).name == parameter.name
                 ? guess(parameter, "  # ")
                 : fmt::format("  # {}{}", parameter.name, guess(parameter, ", "));
    if (!parameter.is_bits) return "";
    if (!parameter.is_pointer) return fmt::format("  # {}: the bits that the launch passed", parameter.name);
    return fmt::format("  # {}: {}", parameter.name,
                       parameter.literal == "0" ? "a null pointer" : "a pointer to no captured memory");
  }

  std::uint64_t offset_of(const MatchedParameter& pointer) const {
    return pointer.place->within / info(buffer_of(pointer).type).size_bytes;
  }

  // The captured offset, if its text is a guess, as a product of sizes is.
  std::string guess(const MatchedParameter& parameter, const char* before) {
    if (!parameter.place) return "";
    const std::uint64_t elements = offset_of(parameter);
    return offset_text(elements).find(' ') == std::string::npos
               ? ""
               : fmt::format("{}element {} in the capture", before, elements);
  }

  std::string fields(const MatchedParameter& parameter) {
    if (!parameter.place)
      return fmt::format("value = \"{}\", type = \"{}\"", number_text(parameter, sizes_),
                         type_text_(parameter));
    const std::string name = fmt::format("name = \"{}\"", buffer_of(parameter).name);
    const std::uint64_t elements = offset_of(parameter);
    return elements == 0 ? name : fmt::format("{}, offset = \"{}\"", name, offset_text(elements));
  }

  // Small offsets are rather fields of one element than sizes.
  std::string offset_text(std::uint64_t elements) {
    constexpr std::uint64_t kMinSize = 16;
    const auto number = static_cast<std::int64_t>(elements);
    const std::optional<std::string> size = elements < kMinSize ? std::nullopt : sizes_.offset(number);
    return size ? *size : std::to_string(elements);
  }

  std::string struct_lines(const MatchedParameter& parameter) {
    const std::string type = base::printable_line(parameter.unknown_type);
    std::string text =
        fmt::format("  {{ struct = {}, members = [  # {}{}\n", parameter.struct_bytes, parameter.name,
                    type.empty() ? "" : fmt::format(", the bytes of '{}' as captured", type));
    for (const MatchedParameter& member : parameter.members)
      text += fmt::format("    {{ at = {}, {} }},  # {}{}\n", member.at, fields(member), member.name,
                          guess(member, ", "));
    return text + "  ] },\n";
  }

  const std::vector<DraftedBuffer>& buffers_;
  ProblemSizes& sizes_;
  const std::function<std::string(const MatchedParameter&)>& type_text_;
};

}  // namespace

bool passes_all_in_order(const std::vector<MatchedParameter>& parameters,
                         const std::vector<DraftedBuffer>& buffers) {
  return std::none_of(parameters.begin(), parameters.end(), [&](const MatchedParameter& one) {
    if (one.struct_bytes > 0 || one.is_bits) return true;
    return one.place &&
           (one.place->within > 0 || drafted_buffer(buffers, one.place->buffer).pointers.size() > 1);
  });
}

std::string passing_text(const std::vector<MatchedParameter>& parameters,
                         const std::vector<DraftedBuffer>& buffers, ProblemSizes& sizes,
                         const std::function<std::string(const MatchedParameter&)>& type_text) {
  std::string text = "# what the kernel gets; offsets are in elements of the buffer\narguments = [\n";
  PassingWriter writer(buffers, sizes, type_text);
  visit_values(parameters, [&](const MatchedParameter& one) { writer.use_sizes(one); });
  for (const MatchedParameter& parameter : parameters) text += writer.line(parameter);
  return text + "]\n";
}

std::string number_text(const MatchedParameter& parameter, const ProblemSizes& sizes) {
  const std::optional<std::int64_t> size = sizes.used_value(parameter.size);
  return size && size == parameter.value ? parameter.size : parameter.literal;
}

}  // namespace warptune::tuner::drafting
