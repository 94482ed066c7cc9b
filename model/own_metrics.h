#pragma once

/// Names of warptune's own metrics: what a measurement has among its counters that CUPTI does not count
/// (CUPTI's names have two underscores or a dot). The database, recordings and exports keep them by these
/// names.
namespace warptune::model::own_metric {

/// Time in ns of the first launch, which was verified and counted.
inline constexpr const char* kFirstLaunchNs = "first_launch_ns";
/// Median of the SM clock in MHz beside the samples.
inline constexpr const char* kSmClockMhz = "sm_clock_mhz";
/// Samples that were kept though they were off the session's clock.
inline constexpr const char* kOffClockSamples = "off_clock_samples";
/// Joules of a launch, mean watts meanwhile, and the relative error of both.
inline constexpr const char* kEnergyJ = "energy_j";
inline constexpr const char* kPowerW = "power_w";
inline constexpr const char* kEnergyRelativeError = "energy_relative_error";
/// Bytes a thread that the compiler spilled into local memory.
inline constexpr const char* kSpillBytes = "spill_bytes";
/// Bytes of outputs that a launch must have written, as they do not hold what is right before it.
inline constexpr const char* kBytesToWrite = "bytes_to_write";
/// Errors of the outputs against the reference: of all elements the greatest, and the mean; in units in the
/// last place.
inline constexpr const char* kErrorMaxAbsolute = "error_max_absolute";
inline constexpr const char* kErrorMaxRelative = "error_max_relative";
inline constexpr const char* kErrorMeanRelative = "error_mean_relative";
inline constexpr const char* kErrorMaxUlp = "error_max_ulp";
/// Of a session's best, launched on new inputs before it was called so: how many launches were verified, the
/// chance that an error in one of 100 launches was found, how many gave other bits, and how far apart they
/// were in units of the tolerance.
inline constexpr const char* kVerifiedLaunches = "verified_launches";
inline constexpr const char* kDetectionChance = "detection_chance";
inline constexpr const char* kDeviatingLaunches = "deviating_launches";
inline constexpr const char* kDeviationOfTolerance = "deviation_of_tolerance";

}  // namespace warptune::model::own_metric
