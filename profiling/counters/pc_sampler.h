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

/// The program-counter sampling of a context, by CUPTI: every so many cycles each SM notes where one of its
/// warps is and why it waits. Does not go together with a range profiler in one process.
///
/// Modules must be loaded while one lives. Each call throws `CuptiError` where the GPU, the driver or a lack
/// of permission forbids.
class PcSampler {
 public:
  explicit PcSampler(CUcontext context);
  ~PcSampler();
  PcSampler(const PcSampler&) = delete;
  PcSampler& operator=(const PcSampler&) = delete;

  /// A sample of an SM each 2^`period_log2` cycles, 5 to 31; once, before the first range.
  void configure(unsigned period_log2);
  /// A range to be sampled; what was launched in it has ended at `stop`.
  void start();
  void stop();
  /// What ranges since the last call noted of user's kernels, an entry an instruction; partial stall reasons
  /// left out.
  std::vector<InstructionSamples> take();
  /// Samples that the hardware could not keep, of all ranges.
  std::uint64_t dropped() const { return dropped_; }

 private:
  /// Memory that CUPTI fills with instructions.
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
  std::map<std::uint32_t, std::string> reasons_;  ///< Without the partial ones.
  std::size_t reason_count_ = 0;
  std::unique_ptr<Buffer> last_;  ///< CUPTI writes what is left to it when sampling ends.
  std::unique_ptr<Buffer> reading_;
  std::uint64_t dropped_ = 0;
};

}  // namespace warptune::profiling::counters
