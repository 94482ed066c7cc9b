// Hashes a cubin without the names that a source chooses.
//
// A cubin is an ELF file (Tool Interface Standard, ELF specification; CUDA Binary Utilities lists NVIDIA's
// sections). What is executed is in its sections: instructions (`.text.KERNEL`), resources and parameters
// (`.nv.info.KERNEL`), constants (`.nv.constant...`), variables (`.nv.global...`), shared memory
// (`.nv.shared.KERNEL`) and relocations. Names are in the string tables and in the names of sections.
// Everything else refers to symbols and sections by number.
//
// So all sections are hashed in their order, with these exceptions:
// * String tables, debug information and the note with the compiler's version are left out.
// * Sections are hashed without the names of their functions. `sh_info` says which function it is.
// * Symbols are hashed without names. A symbol that the code does not define keeps its name, because only the
//   name says what is called (`vprintf`).
//
// This compares by number. If new names change the order of symbols, the digests differ although the code may
// be the same. That is the safe side: equal digests always mean equal code.
#include "kernel_templates/inspection/code_digest.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"

namespace warptune::kernel_templates::inspection {

namespace {

// The type of `.nv.merc.symtab`, which code for sm_100 and later has beside the usual table of symbols.
constexpr std::uint32_t kFurtherSymbols = 0x70000085;

[[noreturn]] void refuse(const std::string& what) {
  throw base::InputError(fmt::format("cannot read the machine code: {}", what));
}

class Cubin {
 public:
  explicit Cubin(std::string_view bytes) : bytes_(bytes) {
    header_ = read<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64)
      refuse("it is not a 64-bit ELF file");
    if (header_.e_shentsize != sizeof(Elf64_Shdr)) refuse("its section headers have another size");
    for (std::size_t i = 0; i < header_.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header_.e_shstrndx >= sections_.size()) refuse("it has no names of sections");
  }

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name_of(const Elf64_Shdr& section) const {
    return text(sections_[header_.e_shstrndx], section.sh_name);
  }
  // Empty for a section that has no bytes in the file, such as `.nv.shared`.
  std::string_view contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : part(section.sh_offset, section.sh_size);
  }
  std::vector<Elf64_Sym> symbols(const Elf64_Shdr& table) const {
    std::vector<Elf64_Sym> all;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym))
      all.push_back(read<Elf64_Sym>(table.sh_offset + at));
    return all;
  }
  std::string_view name_of(const Elf64_Shdr& table, const Elf64_Sym& symbol) const {
    if (table.sh_link >= sections_.size()) refuse("a table of symbols has no names");
    return text(sections_[table.sh_link], symbol.st_name);
  }

 private:
  std::string_view part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) refuse("it is cut off");
    return bytes_.substr(offset, size);
  }
  template <class T>
  T read(std::uint64_t offset) const {
    T value{};
    std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text(const Elf64_Shdr& strings, std::uint64_t offset) const {
    const std::string_view all = part(strings.sh_offset, strings.sh_size);
    if (offset >= all.size()) refuse("a name is outside of its table");
    return all.substr(offset, all.substr(offset).find('\0'));
  }

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

// A part of the digest, so that digests of earlier rules count no more.
constexpr std::string_view kRules = "2";

// Whether a section has only names or debug information. A kernel's own name may contain "debug", so only the
// beginning of the section's name counts.
bool is_left_out(std::string_view name) {
  for (const std::string_view left_out : {".shstrtab", ".strtab", ".note.nv.tkinfo"}) {
    if (name == left_out) return true;
  }
  for (const std::string_view prefix : {".nv.merc.rela", ".nv.merc.rel", ".nv.merc", ".rela", ".rel"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  return name.starts_with(".debug_") || name.starts_with(".nv_debug_");
}

class CodeText {
 public:
  explicit CodeText(const Cubin& cubin) : cubin_(cubin) {
    for (const Elf64_Shdr& section : cubin.sections()) {
      if (section.sh_type != SHT_SYMTAB) continue;
      for (const Elf64_Sym& symbol : cubin.symbols(section)) {
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) functions_.push_back(cubin.name_of(section, symbol));
      }
    }
  }

  void add(std::string_view bytes) { text_ += fmt::format("[{}]{}", bytes.size(), bytes); }
  void add_number(std::uint64_t number) { text_ += fmt::format("{};", number); }

  void add_section(const Elf64_Shdr& section) {
    add(kind_of(cubin_.name_of(section)));
    for (const std::uint64_t number :
         {std::uint64_t{section.sh_type}, section.sh_flags, section.sh_size, std::uint64_t{section.sh_link},
          std::uint64_t{section.sh_info}, section.sh_addralign})
      add_number(number);
    if (section.sh_type == SHT_SYMTAB || section.sh_type == kFurtherSymbols) return add_symbols(section);
    add(cubin_.contents(section));
  }
  const std::string& text() const { return text_; }

 private:
  void add_symbols(const Elf64_Shdr& table) {
    for (const Elf64_Sym& symbol : cubin_.symbols(table)) {
      for (const std::uint64_t number : {std::uint64_t{symbol.st_info}, std::uint64_t{symbol.st_other},
                                         std::uint64_t{symbol.st_shndx}, symbol.st_value, symbol.st_size})
        add_number(number);
      if (symbol.st_shndx == SHN_UNDEF) add(cubin_.name_of(table, symbol));
    }
  }

  // The name without that of a function: `.rela.text.copy` becomes `.rela.text`.
  std::string_view kind_of(std::string_view name) const {
    for (const std::string_view function : functions_) {
      if (name.size() > function.size() && name.ends_with(function) &&
          name[name.size() - function.size() - 1] == '.')
        return name.substr(0, name.size() - function.size() - 1);
    }
    return name;
  }

  const Cubin& cubin_;
  std::vector<std::string_view> functions_;
  std::string text_;
};

// The number of a function's symbol among all symbols.
std::optional<std::size_t> symbol_number(const Cubin& cubin, std::string_view name) {
  std::size_t before = 0;
  for (const Elf64_Shdr& section : cubin.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::vector<Elf64_Sym> symbols = cubin.symbols(section);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (cubin.name_of(section, symbols[i]) == name) return before + i;
    }
    before += symbols.size();
  }
  return std::nullopt;
}

}  // namespace

std::string code_digest(const CompiledKernel& compiled, const LaunchPlan& plan) {
  const Cubin cubin(compiled.cubin);
  CodeText code(cubin);
  code.add(kRules);
  code.add_number(cubin.header().e_machine);
  code.add_number(cubin.header().e_flags);
  code.add(std::string_view(reinterpret_cast<const char*>(cubin.header().e_ident), EI_NIDENT));
  for (const Elf64_Shdr& section : cubin.sections()) {
    if (!is_left_out(cubin.name_of(section))) code.add_section(section);
  }
  const auto add_symbol = [&](const std::string& name) {
    const std::optional<std::size_t> number = symbol_number(cubin, name);
    if (!number) refuse(fmt::format("it lacks {}", name));
    code.add_number(*number);
  };
  for (const PlanStep& step : plan.steps) {
    if (step.launch() != nullptr) add_symbol(compiled.find_entry(step.launch()->entry).lowered_name);
  }
  for (const VariableCode& variable : compiled.variables) add_symbol(variable.lowered_name);
  return base::hash_hex(code.text());
}

}  // namespace warptune::kernel_templates::inspection
