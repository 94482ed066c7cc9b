#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/verification/error_meter.h"

namespace warptune::profiling::verification {

/// Tells right launches from wrong ones: guards, inputs, outputs against the reference.
class OutputCheck {
 public:
  /// All three must outlive the check. Records the inputs' checksums.
  OutputCheck(const kernel_templates::KernelInstance& instance, driver::DeviceArguments& arguments,
              driver::DeviceHelpers& helpers);

  /// Records the checksum of what an input begins with.
  void note_contents(driver::DeviceArgument& argument);
  /// Before the launch that will be verified: inout and zeroed buffers restored, scratch and, unless they are
  /// to stay as they are, outputs poisoned.
  void prepare(bool poison_outputs = true);
  /// After it: why it is wrong, or nothing. Repairs guards and inputs that it spoiled.
  std::optional<std::string> verify();
  /// Keeps the outputs as they are now as what is right.
  void keep_reference();
  /// Outputs are compared with nothing until `keep_reference` is called again.
  void forget_reference() { has_reference_ = false; }
  /// Of all outputs, as they are now.
  std::uint64_t checksum_of_outputs();
  /// Bytes of the outputs' elements that are not right as they are now. After `prepare`: what a launch must
  /// write.
  std::uint64_t bytes_not_right();
  /// How far the outputs of floating type, as they are now, are from the reference; nothing where there is no
  /// such output or no reference.
  std::optional<ErrorSums> errors(ErrorMeter& meter) const;
  /// Whether a launch overwrote what later checks rest on (references, first contents): this process's
  /// verdicts are void.
  bool damaged() const { return damaged_; }

 private:
  std::uint64_t checksum_of(CUdeviceptr data, std::size_t bytes);
  std::optional<std::string> find_fault();
  void compare(const driver::DeviceArgument& argument);
  std::string describe_mismatch(const driver::DeviceArgument& argument,
                                const driver::CheckResult& finding) const;
  void repair();

  const kernel_templates::KernelInstance& instance_;
  driver::DeviceArguments& arguments_;
  driver::DeviceHelpers& helpers_;
  base::Random random_;  ///< Of masks and poison: no kernel is to know them.
  bool has_reference_ = false;
  bool damaged_ = false;
};

}  // namespace warptune::profiling::verification
