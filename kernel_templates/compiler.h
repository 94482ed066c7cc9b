#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::kernel_templates {

/// A program to be compiled by NVRTC or nvcc.
struct CompileRequest {
  std::string program_name;          ///< The user's path, which NVRTC's messages name.
  std::string source;                ///< The program's text.
  std::vector<std::string> entries;  ///< Name expressions of the `__global__` functions that are needed.
  std::vector<std::string> options;  ///< Without the architecture.
  std::string architecture;          ///< `sm_90`.
  /// The toolkit's device libraries to link with. `cudadevrt` is needed to launch kernels from a kernel.
  std::vector<std::string> libraries{};
  std::vector<std::string> variables{};  ///< Name expressions of `__constant__` and `__device__` variables.
  /// More folders whose files the program may include. Its own folder and those that its options name are
  /// readable in any case. The folders do not change the compiled code. The caller confines the compiler to
  /// them.
  std::vector<std::filesystem::path> readable_folders{};
  std::string compiler{};  ///< `kNvcc`, or empty for NVRTC.
  /// No text of the program has a word that only the runtime API's declarations explain. NVRTC may then omit
  /// them, which changes the time of the compile and not the code. So `compile_key` leaves it out.
  bool may_omit_declarations = false;
};
inline constexpr const char* kNvcc = "nvcc";  ///< The `compiler` of a request that nvcc compiles.

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
  std::string log;          ///< The compiler's warnings and other messages.
  double compile_ms = 0.0;  ///< The time of the compile itself, even if the result came from a cache.
  bool from_cache = false;  ///< Read from a `CompileCache`.

  /// Throws `base::InternalError` if the entry does not exist.
  const EntryCode& find_entry(const std::string& entry) const;
  /// The variable's symbol. Throws `base::InternalError` if the variable does not exist.
  const std::string& find_variable(const std::string& variable) const;
};

/// Compiles a program to machine code with NVRTC, or with nvcc where the request says so. Throws
/// `base::MachineError` if NVRTC cannot be loaded, which happens on first use. A program that does not
/// compile is an outcome with NVRTC's log.
///
/// With the option `-pch` the process keeps the precompiled headers before `#pragma nv_hdrstop` for its next
/// programs, if that is possible. This changes only the compile time.
///
/// If the compiler reports that it ran out of memory, the outcome is `out_of_memory`. It may also end the
/// process without a report.
model::Outcome<CompiledKernel> compile(const CompileRequest& request);

/// Why a program does not compile, or std::nullopt if it does. Throws as `compile` does. This takes about a
/// tenth of the time of `compile`, because the code is not optimised. Only if that fails is the code
/// optimised, too: inline assembly may need a constant that only the optimiser finds. Warnings of the
/// optimiser are not seen.
std::optional<model::Rejection> compile_problem(CompileRequest request);

/// The folders from which the compiler may read files, apart from the toolkit's: the program's folder, those
/// that its options name, and `readable_folders`. They are absolute, sorted and without repetition.
std::vector<std::filesystem::path> folders_read_by(const CompileRequest& request);

/// The rejection of a program whose compile needs more than `bytes` of memory, the process's limit; 0 means
/// unknown. Its cause is `kOutOfMemory`.
model::Rejection out_of_memory(std::uint64_t bytes);

/// The toolkit's nvcc. Empty if there is none.
std::filesystem::path find_nvcc();

/// NVRTC's version, for example 13000 for 13.0. Loads NVRTC.
int nvrtc_version();

/// The path, size and times of NVRTC's file. Empty if only the system's loader knows where it is. Does not
/// load it.
std::string nvrtc_identity();

/// The same as `nvrtc_version`. NVRTC is loaded only if its file has changed since this user last asked,
/// because loading takes 15 ms.
int remembered_nvrtc_version();
/// The architectures for which NVRTC can compile: 75, 80, ...
std::vector<int> nvrtc_architectures();

}  // namespace warptune::kernel_templates
