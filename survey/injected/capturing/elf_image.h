// Which kernels and variables an ELF image of device code has. Nothing in the image is trusted.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warptune::survey::injected::capturing {

/// A view of an image. It must outlive the view.
class ElfImage {
 public:
  /// If the bytes are not a valid ELF image, the view has no sections.
  ElfImage(const void* data, std::size_t bytes);

  /// Calls `visit(name)` for each kernel and each device function, with its mangled name.
  template <class Visit>
  void visit_functions(const Visit& visit) const {
    for (std::size_t i = 0; i < sections_; ++i) {
      const char* const name = section_name(i);
      if (name != nullptr && std::strncmp(name, ".text.", kTextLength) == 0) visit(name + kTextLength);
    }
  }
  /// Calls `visit(name, bytes)` for each variable in the GPU's memory (`__device__`, `__constant__`).
  template <class Visit>
  void visit_variables(const Visit& visit) const {
    for (std::size_t i = 0; i < sections_; ++i) {
      const std::size_t count = symbols_of(i);
      for (std::size_t k = 0; k < count; ++k) {
        const Elf64_Sym symbol = symbol_at(i, k);
        const char* const name = variable_name(i, symbol);
        if (name != nullptr) visit(name, static_cast<std::size_t>(symbol.st_size));
      }
    }
  }

 private:
  static constexpr std::size_t kTextLength = 6;

  Elf64_Shdr section(std::size_t number) const;
  /// A text within a section of names, or null if it is not within the image.
  const char* text(const Elf64_Shdr& names, std::size_t offset) const;
  const char* section_name(std::size_t number) const;
  std::size_t symbols_of(std::size_t number) const;
  Elf64_Sym symbol_at(std::size_t table, std::size_t number) const;
  const char* variable_name(std::size_t table, const Elf64_Sym& symbol) const;

  const std::uint8_t* data_;
  std::size_t bytes_;
  Elf64_Ehdr header_{};
  std::size_t sections_ = 0;
};

}  // namespace warptune::survey::injected::capturing
