// Reads the sizes and types of the parameters of compiled kernels.
//
// A cubin is an ELF file. Each kernel has a section `.nv.info.SYMBOL`, a sequence of attributes. An attribute
// begins with a byte for its form and a byte for its kind. In form 4 (EIFMT_SVAL) a size of two bytes and as
// many bytes follow; in the other forms, two bytes follow. The names are those that `cuobjdump -elf` prints.
// EIATTR_KPARAM_INFO (kind 0x17) has 12 bytes: an index (4), the ordinal of the parameter (2), its offset
// (2), and a word whose 14 highest bits are the size.
#include "kernel_templates/inspection/parameter_layout.h"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "base/text.h"

namespace warptune::kernel_templates::inspection {

namespace {

template <class T>
std::optional<T> value_at(std::string_view bytes, std::size_t at) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// The bytes of a section; std::nullopt if the file does not have it.
std::optional<std::string_view> section_named(std::string_view elf, const std::string& name) {
  const auto head = value_at<Elf64_Ehdr>(elf, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  const auto header_of = [&](std::size_t index) {
    return value_at<Elf64_Shdr>(elf, head->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto bytes_of = [&](const Elf64_Shdr& section) -> std::optional<std::string_view> {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > elf.size() ||
        section.sh_size > elf.size() - section.sh_offset)
      return std::nullopt;
    return elf.substr(section.sh_offset, section.sh_size);
  };
  const auto names_header = header_of(head->e_shstrndx);
  const auto names = names_header ? bytes_of(*names_header) : std::nullopt;
  if (!names) return std::nullopt;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    const auto section = header_of(i);
    if (!section || section->sh_name >= names->size()) continue;
    const std::string_view rest = names->substr(section->sh_name);
    if (rest.substr(0, rest.find('\0')) == name) return bytes_of(*section);
  }
  return std::nullopt;
}

constexpr std::uint8_t kSizedForm = 4;
constexpr std::uint8_t kParameterKind = 0x17;
constexpr std::uint8_t kLongParameterKind = 0x45;  // EIATTR_KPARAM_INFO_V2, for more than 4 KiB.
constexpr int kSizeShift = 18;

}  // namespace

std::optional<std::vector<ParameterSlot>> parameter_layout(std::string_view cubin,
                                                           const std::string& symbol) {
  const std::optional<std::string_view> section = section_named(cubin, ".nv.info." + symbol);
  if (!section) return std::nullopt;
  std::map<std::uint16_t, ParameterSlot> slots;
  for (std::size_t at = 0; at < section->size();) {
    const auto form = value_at<std::uint8_t>(*section, at);
    const auto kind = value_at<std::uint8_t>(*section, at + 1);
    const auto size = value_at<std::uint16_t>(*section, at + 2);
    if (!form || !kind || !size || *kind == kLongParameterKind) return std::nullopt;
    at += 4;
    if (*form != kSizedForm) continue;
    if (*kind == kParameterKind) {
      const auto ordinal = value_at<std::uint16_t>(*section, at + 4);
      const auto offset = value_at<std::uint16_t>(*section, at + 6);
      const auto word = value_at<std::uint32_t>(*section, at + 8);
      if (!ordinal || !offset || !word) return std::nullopt;
      slots[*ordinal] = {*offset, *word >> kSizeShift};
    }
    at += *size;
  }
  std::vector<ParameterSlot> layout;
  for (const auto& [ordinal, slot] : slots) {
    if (ordinal != layout.size()) return std::nullopt;
    layout.push_back(slot);
  }
  return layout;
}

std::optional<std::vector<std::string>> parameter_types(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return std::nullopt;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return std::nullopt;
  const std::string_view name = demangled.get();
  if (!name.ends_with(')')) return std::nullopt;
  std::size_t open = name.size();
  int depth = 0;
  while (open > 0) {
    --open;
    depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  std::vector<std::string> types;
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  std::size_t begin = 0;
  depth = 0;
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    const char c = i < inside.size() ? inside[i] : ',';
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c != ',' || depth != 0) continue;
    const std::string_view type = base::trim(inside.substr(begin, i - begin));
    if (!type.empty()) types.emplace_back(type);
    begin = i + 1;
  }
  return types;
}

}  // namespace warptune::kernel_templates::inspection
