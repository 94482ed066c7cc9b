// What the parent asks the injected library to do. It is in the environment of the program.
#pragma once

#include <array>
#include <cstdint>

namespace warptune::survey::injected {

/// What is traced. `WARPTUNE_SURVEY_TRACE` names it, separated by commas, to measure what each part costs.
struct TracedThings {
  bool kernels = true;
  bool copies = true;
  bool fills = true;
  bool ranges = true;
  bool runtime = true;  ///< Calls of the CUDA runtime.
  bool driver = true;   ///< Calls of the driver.
  bool devices = true;  ///< GPUs and contexts.
};

struct Settings {
  std::array<char, 4096> folder{};  ///< Where the stream is written: an absolute path. Empty: do nothing.
  std::array<char, 4096> cupti{};   ///< The path of libcupti.
  std::array<char, 4096> plan{};    ///< The path of a counting plan. With it, launches are counted instead.
  /// The number of the launch to capture, among those of the plan's first kernel, from 1. 0: none is
  /// captured.
  std::uint64_t capture_launch = 0;
  std::uint64_t capture_bytes = 0;  ///< The most bytes of the contents of a captured launch's buffers.
  std::uint64_t limit = 0;          ///< The number of records.
  std::uint64_t start = 0;          ///< In nanoseconds of CLOCK_MONOTONIC. No records are kept before.
  std::uint64_t stop = 0;           ///< No records are kept after. 0: no end.
  /// How often completed records are written. The first periods are shorter, because a program that crashes
  /// at its beginning loses what is not written.
  std::uint64_t period_ms = 0;
  std::uint64_t buffer_bytes = 0;         ///< The size of one of CUPTI's buffers.
  std::uint64_t keep_free_bytes = 0;      ///< As in `RawFile`: what the file system keeps for others.
  std::uint64_t device_buffer_bytes = 0;  ///< The size of a buffer for the GPU's times. 0: CUPTI's own.
  /// CUPTI keeps the GPU's times in pinned memory of the host instead of the GPU's own memory. A kernel that
  /// finds the GPU idle then seems to take 1 us longer (docs/notes/profiling.md).
  bool pinned = false;
  bool shared_buffers = false;  ///< CUPTI has one buffer for all threads instead of one for each.
  TracedThings traced;
};

/// Reads the variables `WARPTUNE_SURVEY_*`. What is missing or wrong has its default.
Settings read_settings();

}  // namespace warptune::survey::injected
