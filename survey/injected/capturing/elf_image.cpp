#include "survey/injected/capturing/elf_image.h"

namespace warptune::survey::injected::capturing {

ElfImage::ElfImage(const void* data, std::size_t bytes)
    : data_(static_cast<const std::uint8_t*>(data)), bytes_(bytes) {
  if (data == nullptr || bytes < sizeof(header_)) return;
  std::memcpy(&header_, data, sizeof(header_));
  const bool is_elf =
      std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf || header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shoff > bytes) return;
  if (header_.e_shnum > (bytes - header_.e_shoff) / sizeof(Elf64_Shdr)) return;
  sections_ = header_.e_shnum;
}

Elf64_Shdr ElfImage::section(std::size_t number) const {
  Elf64_Shdr found{};
  if (number < sections_)
    std::memcpy(&found, data_ + header_.e_shoff + number * sizeof(found), sizeof(found));
  return found;
}

const char* ElfImage::text(const Elf64_Shdr& names, std::size_t offset) const {
  if (names.sh_type != SHT_STRTAB || names.sh_offset > bytes_ || names.sh_size > bytes_ - names.sh_offset ||
      offset >= names.sh_size)
    return nullptr;
  const char* const start = reinterpret_cast<const char*>(data_ + names.sh_offset + offset);
  return std::memchr(start, '\0', names.sh_size - offset) == nullptr ? nullptr : start;
}

const char* ElfImage::section_name(std::size_t number) const {
  return text(section(header_.e_shstrndx), section(number).sh_name);
}

std::size_t ElfImage::symbols_of(std::size_t number) const {
  const Elf64_Shdr table = section(number);
  if (table.sh_type != SHT_SYMTAB || table.sh_offset > bytes_ || table.sh_size > bytes_ - table.sh_offset)
    return 0;
  return table.sh_size / sizeof(Elf64_Sym);
}

Elf64_Sym ElfImage::symbol_at(std::size_t table, std::size_t number) const {
  Elf64_Sym symbol{};
  std::memcpy(&symbol, data_ + section(table).sh_offset + number * sizeof(symbol), sizeof(symbol));
  return symbol;
}

// User constants are in bank 3. Other banks hold parameters and constants of the compiler.
const char* ElfImage::variable_name(std::size_t table, const Elf64_Sym& symbol) const {
  if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || symbol.st_shndx >= sections_)
    return nullptr;
  const char* const place = section_name(symbol.st_shndx);
  if (place == nullptr ||
      (std::strncmp(place, ".nv.global", 10) != 0 && std::strcmp(place, ".nv.constant3") != 0))
    return nullptr;
  return text(section(section(table).sh_link), symbol.st_name);
}

}  // namespace warptune::survey::injected::capturing
