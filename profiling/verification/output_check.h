#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/verification/error_meter.h"

namespace warptune::profiling::verification {

/// Checks whether a launch was right: guards, inputs, and outputs against the reference.
class OutputCheck {
 public:
  /// A function that decides whether the outputs of the last launch are right. It reads them from the files
  /// of `ContentsRole::kResult`. Returns why they are wrong, or std::nullopt.
  using Judge = std::function<std::optional<std::string>()>;

  /// The three arguments must outlive the check. Records the checksums of the inputs.
  OutputCheck(const kernel_templates::KernelInstance& instance, driver::DeviceArguments& arguments,
              driver::DeviceHelpers& helpers);

  /// Records the checksum of an input's initial contents.
  void record_checksum(driver::DeviceArgument& argument);
  /// Prepares the launch that will be verified. It restores inout and zeroed buffers, and poisons scratch. It
  /// also poisons the outputs, unless `poison_outputs` is false.
  void prepare(bool poison_outputs = true);
  /// Checks the launch that followed `prepare`. Returns why it was wrong, or std::nullopt. Repairs the guards
  /// and inputs that the launch overwrote.
  std::optional<std::string> verify();
  /// Keeps the current outputs as the right ones.
  void keep_reference();
  /// Lets `judge` decide about outputs that have no reference yet, or differ from it. Outputs that it accepts
  /// are the reference from then on.
  void set_judge(Judge judge) { judge_ = std::move(judge); }
  /// Outputs are not compared any more, until `keep_reference` is called again.
  void forget_reference() { has_reference_ = false; }
  /// Returns a checksum of all outputs as they are now. Equal bits have equal checksums on all GPUs.
  std::uint64_t checksum_of_outputs();
  /// Returns a checksum of what launches get: the contents of the inputs, and the scalars. It reads nothing
  /// on the device.
  std::uint64_t checksum_of_inputs() const;
  /// Returns the size in bytes of the output elements that are wrong now. After `prepare` these are the bytes
  /// that a launch must write.
  std::uint64_t wrong_bytes();
  /// Returns the errors of the floating-point outputs, as they are now, against the reference. Returns
  /// std::nullopt when there is no such output or no reference.
  std::optional<ErrorSums> errors(ErrorMeter& meter) const;
  /// Whether a launch overwrote data on which later checks rely (references, initial contents). Then no
  /// verdict of this process can be trusted.
  bool damaged() const { return damaged_; }

 private:
  std::uint64_t checksum_of(CUdeviceptr data, std::size_t bytes);
  std::optional<std::string> find_fault();
  void compare(const driver::DeviceArgument& argument);
  std::optional<std::string> find_wrong_output(const driver::CheckResult* findings);
  void write_results() const;
  std::string describe_mismatch(const driver::DeviceArgument& argument,
                                const driver::CheckResult& finding) const;
  void repair();

  const kernel_templates::KernelInstance& instance_;
  driver::DeviceArguments& arguments_;
  driver::DeviceHelpers& helpers_;
  /// Generates keys and poison. Its seed is unpredictable, so that kernels cannot predict them.
  base::Random random_;
  Judge judge_;
  bool has_reference_ = false;
  bool damaged_ = false;
};

}  // namespace warptune::profiling::verification
