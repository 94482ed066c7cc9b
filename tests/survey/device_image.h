// ELF images of device code, as small as the injected library needs them.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warptune::survey {

/// An image with a section for the code of each kernel, and one variable of each name in the GPU's memory.
inline std::string device_image(const std::vector<std::string>& kernels,
                                const std::vector<std::string>& variables) {
  std::string names(1, '\0');
  std::string symbol_names(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  std::vector<Elf64_Shdr> sections(1);
  const auto add_section = [&](const std::string& name, std::uint32_t type) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    section.sh_type = type;
    names += name + '\0';
    sections.push_back(section);
  };
  for (const std::string& kernel : kernels) add_section(".text." + kernel, SHT_PROGBITS);
  add_section(".nv.global", SHT_NOBITS);
  const auto place = static_cast<Elf64_Half>(sections.size() - 1);
  for (const std::string& variable : variables) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(symbol_names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = place;
    symbol.st_size = 4;
    symbol_names += variable + '\0';
    symbols.push_back(symbol);
  }
  add_section(".symtab", SHT_SYMTAB);
  add_section(".strtab", SHT_STRTAB);
  add_section(".shstrtab", SHT_STRTAB);
  std::string symbol_bytes(symbols.size() * sizeof(Elf64_Sym), '\0');
  std::memcpy(symbol_bytes.data(), symbols.data(), symbol_bytes.size());
  std::string image(sizeof(Elf64_Ehdr), '\0');
  const std::size_t last = sections.size() - 1;
  const auto add_content = [&](std::size_t section, const std::string& content) {
    sections[section].sh_offset = image.size();
    sections[section].sh_size = content.size();
    image += content;
  };
  add_content(last - 2, symbol_bytes);
  sections[last - 2].sh_link = static_cast<Elf64_Word>(last - 1);
  add_content(last - 1, symbol_names);
  add_content(last, names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(last);
  header.e_shoff = image.size();
  std::memcpy(image.data(), &header, sizeof(header));
  std::string table(sections.size() * sizeof(Elf64_Shdr), '\0');
  std::memcpy(table.data(), sections.data(), table.size());
  return image + table;
}

}  // namespace warptune::survey
