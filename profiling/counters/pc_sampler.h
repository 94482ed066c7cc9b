#pragma once

#include <cupti_pcsampling.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "profiling/hot_lines.h"

namespace warptune::profiling::counters {

/// Samples the program counter in a context, by CUPTI. At a fixed interval each SM records at which
/// instruction one of its warps is, and why the warp waits. A process that uses a sampler cannot use a range
/// profiler.
///
/// Modules must be loaded while the sampler exists. Each call throws `CuptiError` when the GPU, the driver or
/// missing permission forbids it.
class PcSampler {
 public:
  explicit PcSampler(CUcontext context);
  ~PcSampler();
  PcSampler(const PcSampler&) = delete;
  PcSampler& operator=(const PcSampler&) = delete;

  /// Sets the interval: an SM takes a sample every 2^`period_log2` cycles. `period_log2` is 5 to 31. Must be
  /// called once, before the first range.
  void configure(unsigned period_log2);
  /// Begins and ends a range that is sampled. Its launches must have ended before `stop` is called.
  void start();
  void stop();
  /// Returns the samples of the user's kernels in the ranges since the last call, with one entry for each
  /// instruction. If the samples of one stall reason are also counted for another reason, one of them is left
  /// out.
  std::vector<InstructionSamples> take();
  /// The number of samples that the hardware could not keep, over all ranges.
  std::uint64_t dropped() const { return dropped_; }

 private:
  /// Memory into which CUPTI writes instructions.
  class Buffer {
   public:
    Buffer(std::size_t instructions, std::size_t reasons);
    CUpti_PCSamplingData& data() { return data_; }
    const CUpti_PCSamplingPCData& instruction(std::size_t i) const { return instructions_[i]; }

   private:
    CUpti_PCSamplingData data_{};
    std::vector<CUpti_PCSamplingPCData> instructions_;
    std::vector<CUpti_PCSamplingStallReason> stalls_;
  };

  void read_reasons();
  InstructionSamples samples_of(const CUpti_PCSamplingPCData& instruction) const;

  CUcontext context_;
  std::map<std::uint32_t, std::string>
      reasons_;  ///< Names of stall reasons by number, without those that `take` leaves out.
  std::size_t reason_count_ = 0;
  /// CUPTI writes the remaining samples to it when sampling ends.
  std::unique_ptr<Buffer> last_;
  std::unique_ptr<Buffer> reading_;
  std::uint64_t dropped_ = 0;
};

}  // namespace warptune::profiling::counters
