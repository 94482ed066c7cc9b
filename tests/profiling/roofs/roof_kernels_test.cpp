#include "profiling/roofs/roof_kernels.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace warptune::profiling::roofs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::GpuDescription gpu_of(int capability) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.compute_major = capability / 10;
  gpu.compute_minor = capability % 10;
  return gpu;
}

class RoofKernelsTest : public ::testing::TestWithParam<int> {};

// Returns the size of a kernel's machine code in bytes. It is the size of its `.text` section (ELF-64).
std::size_t code_bytes(const std::string& cubin, const std::string& symbol) {
  const auto read = [&](auto& into, std::size_t offset) {
    std::memcpy(&into, cubin.data() + offset, sizeof(into));
  };
  Elf64_Ehdr header;
  read(header, 0);
  Elf64_Shdr names;
  read(names, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    read(section, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (cubin.c_str() + names.sh_offset + section.sh_name == ".text." + symbol) return section.sh_size;
  }
  return 0;
}

TEST_P(RoofKernelsTest, CompileWithoutSpillsAndKeepTheirLoops) {
  const model::GpuDescription gpu = gpu_of(GetParam());
  kernel_templates::CompileRequest request = roof_request(gpu);
  try {
    kernel_templates::nvrtc_version();
  } catch (const base::MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  const auto compiled = kernel_templates::compile(request);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().reason;
  EXPECT_THAT(compiled->log, Not(HasSubstr("serialized")));
  EXPECT_THAT(compiled->log, Not(HasSubstr("warning")));
  for (const std::string& entry : request.entries) {
    const kernel_templates::EntryCode& code = compiled->find_entry(entry);
    EXPECT_EQ(code.local_bytes, 0) << entry;
    EXPECT_EQ(code.spill_bytes, 0) << entry;
  }
  // An iteration has 512 multiply-adds of 16 bytes each. None of them was optimised away.
  for (const char* entry : {"warptune_roof_fp32", "warptune_roof_fp64"})
    EXPECT_GE(code_bytes(compiled->cubin, compiled->find_entry(entry).lowered_name), 512U * 16U) << entry;
  for (const PipeKernel& kernel : pipe_kernels(gpu)) {
    const std::int64_t registers = compiled->find_entry(kernel.entry).registers_per_thread;
    EXPECT_LE(registers * kernel.threads * (kernel.blocks / static_cast<unsigned>(gpu.sm_count)),
              gpu.registers_per_sm);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, RoofKernelsTest, ::testing::Values(75, 80, 86, 89, 90, 100, 120));

}  // namespace
}  // namespace warptune::profiling::roofs
