#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "db/codes/workload_codes.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/carrying/older_nvrtc.h"
#include "tuner/workers/compiling/compile_pool.h"

/// Rows of a kernel whose text changed without its code (docs/database.md, "Rows of a changed text").
namespace warptune::tuner::carrying {

/// How long one program may take to compile.
inline constexpr std::chrono::seconds kCompileDeadline{60};

/// What it took to store the digests of a workload's code.
struct NotedCode {
  std::size_t references = 0;  ///< Reference configurations.
  std::size_t compiled = 0;    ///< Programs that were compiled, because the cache did not have them.
  double elapsed_ms = 0.0;
};

/// Stores digests of the code with which a workload was measured. Returns std::nullopt, and stores nothing,
/// in these cases:
/// * The stored digests cover all rows, or no row has a time.
/// * nvcc compiles the kernel, or a program does not compile.
/// * The definition's files have changed since `instance` was read.
/// Throws `base::WorkError` if it is cancelled.
std::optional<NotedCode> note_code(db::Store& store, const kernel_templates::KernelInstance& instance,
                                   const model::Workload& workload, workers::compiling::CompilePool& pool,
                                   const base::Cancellation& cancellation = {});

/// Whether the rows of another text of a kernel were given to the present one.
struct KeptRows {
  model::Workload earlier;      ///< With the hash of the other text.
  db::codes::CarriedRows rows;  ///< 0 unless they were carried over.
  std::size_t references = 0;   ///< Reference configurations that were compared.
  OlderNvrtc older;             ///< The carried rows that an older NVRTC compiled.
  std::string reason;           ///< Why the rows stay with the other text; empty if they were carried over.

  bool is_carried() const { return reason.empty(); }
};

/// The workloads of other texts of the kernel, in the order of their first sessions.
std::vector<model::Workload> workloads_of_other_texts(const db::Store& store,
                                                      const kernel_templates::KernelDefinition& definition);

/// Compiles the present text of the kernel at the reference configurations of a workload of another text. If
/// all codes are the same, the rows of that workload become rows of the present text. What other processes
/// may have changed while programs were compiled is read again in the transaction that moves the rows. Throws
/// `base::WorkError` if it is cancelled.
KeptRows keep_rows(db::Store& store, const kernel_templates::KernelDefinition& definition,
                   const model::Workload& earlier, workers::compiling::CompilePool& pool,
                   const base::Cancellation& cancellation = {});

/// One sentence: how many rows now belong to the present text, or why they stay.
std::string sentence_of(const KeptRows& kept);

}  // namespace warptune::tuner::carrying
