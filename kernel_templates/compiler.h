#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::kernel_templates {

/// One program for NVRTC.
struct CompileRequest {
  std::string program_name;          ///< The user's path: what NVRTC's messages say.
  std::string source;                ///< Its text.
  std::vector<std::string> entries;  ///< Name expressions of the `__global__` functions wanted.
  std::vector<std::string> options;  ///< Without the architecture.
  std::string architecture;          ///< `sm_90`.
  /// Device libraries of the toolkit to link with, as `cudadevrt`: what it takes to launch from a kernel.
  std::vector<std::string> libraries{};
  std::vector<std::string> variables{};  ///< Name expressions of `__constant__` and `__device__` variables.
  /// Folders below which its files may lie, beside its own and those that its options name. They change
  /// nothing in what is compiled: whoever compiles it confines the compiler to them.
  std::vector<std::filesystem::path> readable_folders{};
};

/// Resources of one entry, from the assembler's report.
struct EntryCode {
  std::string entry;         ///< The name expression.
  std::string lowered_name;  ///< The symbol in the cubin.
  std::int64_t registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;  ///< Stack frame.
  std::int64_t spill_bytes = 0;  ///< Stores plus loads.
};

/// A variable of the module.
struct VariableCode {
  std::string variable;      ///< The name expression.
  std::string lowered_name;  ///< The symbol in the cubin.
};

/// The name expression of a variable.
inline std::string variable_of(const std::string& name) { return "&" + name; }

struct CompiledKernel {
  std::string cubin;
  std::vector<EntryCode> entries;
  std::vector<VariableCode> variables;
  std::string log;
  double compile_ms = 0.0;  ///< Of the compile itself, also when it came from a cache.
  bool from_cache = false;  ///< Read from a `CompileCache`.

  /// Throws `base::InternalError` when there is no such entry.
  const EntryCode& find_entry(const std::string& entry) const;
  /// The variable's symbol; throws likewise.
  const std::string& find_variable(const std::string& variable) const;
};

/// Compiles to machine code with NVRTC (loaded on first use; throws `base::MachineError` when it cannot be).
/// A program that does not compile is an outcome with NVRTC's log. Of an option `-pch` the process keeps what
/// precedes `#pragma nv_hdrstop` for its next programs, where it can; it changes nothing else. A compiler
/// that runs out of memory is an outcome too (`out_of_memory`) where it says so; it may also end the process.
model::Outcome<CompiledKernel> compile(const CompileRequest& request);

/// The folders from which compiling a request may read files, beside those of the toolkit: that of the
/// program, those that its options name, and `readable_folders`. Absolute, sorted, each once.
std::vector<std::filesystem::path> folders_read_by(const CompileRequest& request);

/// The rejection of a program whose compile needs more memory than the process may take (`bytes`; 0:
/// unknown). Its cause is `kOutOfMemory`.
model::Rejection out_of_memory(std::uint64_t bytes);

/// NVRTC's version as 13000; loads it.
int nvrtc_version();
/// Architectures NVRTC can compile for, as 75, 80, ...
std::vector<int> nvrtc_architectures();

}  // namespace warptune::kernel_templates
