#include "bench/compiled_code/machine_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"

namespace warptune::bench {

namespace {

constexpr std::size_t kInstructionBytes =
    16;  // Since sm_70 (CUDA Binary Utilities, "Instruction Set Reference").
constexpr std::uint32_t kOpcodeMask = 0xFFF;
constexpr std::uint32_t kNop = 0x918;

struct CloseElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

void check(bool success) {
  if (!success) throw base::InputError(fmt::format("cannot read the cubin: {}", elf_errmsg(-1)));
}

// The contents of the sections by name, without sections that have no contents in the file.
std::map<std::string, std::string_view> sections_of(Elf* elf) {
  std::size_t names = 0;
  check(elf_getshdrstrndx(elf, &names) == 0);
  std::map<std::string, std::string_view> sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    check(gelf_getshdr(section, &header) != nullptr);
    if (header.sh_type == SHT_NOBITS) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    const Elf_Data* data = elf_rawdata(section, nullptr);
    check(name != nullptr && data != nullptr);
    sections[name] = {static_cast<const char*>(data->d_buf), data->d_size};
  }
  return sections;
}

FunctionCode function_of(std::string_view code) {
  FunctionCode function;
  function.digest = base::hash_hex(code);
  for (std::size_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    if ((word & kOpcodeMask) != kNop) ++function.instructions;
  }
  return function;
}

}  // namespace

std::int64_t MachineCode::instructions() const {
  std::int64_t sum = 0;
  for (const auto* list : {&entries, &functions}) {
    for (const FunctionCode& function : *list) sum += function.instructions;
  }
  return sum;
}

std::int64_t MachineCode::max_registers() const {
  std::int64_t maximum = 0;
  for (const FunctionCode& entry : entries) maximum = std::max(maximum, entry.registers);
  return maximum;
}

std::int64_t MachineCode::spill_bytes() const {
  std::int64_t sum = 0;
  for (const FunctionCode& entry : entries) sum += entry.spill_bytes;
  return sum;
}

MachineCode machine_code(const kernel_templates::CompiledKernel& compiled, std::size_t count) {
  check(elf_version(EV_CURRENT) != EV_NONE);
  std::string cubin = compiled.cubin;
  const std::unique_ptr<Elf, CloseElf> elf(elf_memory(cubin.data(), cubin.size()));
  check(elf != nullptr && elf_kind(elf.get()) == ELF_K_ELF);
  constexpr std::string_view kText = ".text.";
  std::map<std::string, std::string_view> sections = sections_of(elf.get());
  MachineCode code;
  for (std::size_t i = 0; i < std::min(count, compiled.entries.size()); ++i) {
    const kernel_templates::EntryCode& entry = compiled.entries[i];
    const auto section = sections.find(std::string(kText) + entry.lowered_name);
    if (section == sections.end())
      throw base::InputError(fmt::format("the cubin has no code for {}", entry.lowered_name));
    FunctionCode function = function_of(section->second);
    function.registers = entry.registers_per_thread;
    function.static_shared_bytes = entry.static_shared_bytes;
    function.local_bytes = entry.local_bytes;
    function.spill_bytes = entry.spill_bytes;
    code.entries.push_back(std::move(function));
  }
  for (const kernel_templates::EntryCode& entry : compiled.entries)
    sections.erase(std::string(kText) + entry.lowered_name);
  for (const auto& [name, contents] : sections) {
    if (name.starts_with(kText)) code.functions.push_back(function_of(contents));
    // A kernel's bank 0 is zero in the cubin. Its size follows from the parameters, and a launch fills it.
    const bool is_zero = std::all_of(contents.begin(), contents.end(), [](char byte) { return byte == 0; });
    if (name.starts_with(".nv.constant0.") && is_zero) continue;
    if (name.starts_with(".nv.constant") || name.starts_with(".nv.global.init"))
      code.constants.push_back(base::hash_hex(contents));
  }
  std::sort(code.functions.begin(), code.functions.end());
  std::sort(code.constants.begin(), code.constants.end());
  return code;
}

}  // namespace warptune::bench
