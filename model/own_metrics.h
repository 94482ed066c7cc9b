#pragma once

/// The names of warptune's own metrics. A measurement keeps them among its counters, although CUPTI does not
/// count them. They have neither two underscores nor a dot, as CUPTI's names have. The database, recordings
/// and exports use them.
namespace warptune::model::own_metric {

/// The time in ns of the first launch, which was verified and counted.
inline constexpr const char* kFirstLaunchNs = "first_launch_ns";
/// The median SM clock in MHz while the samples were taken.
inline constexpr const char* kSmClockMhz = "sm_clock_mhz";
/// The number of samples that were kept although their clock differed from the session's.
inline constexpr const char* kOffClockSamples = "off_clock_samples";
/// The energy of a launch in J, the mean power during it in W, and the relative error of both.
inline constexpr const char* kEnergyJ = "energy_j";
inline constexpr const char* kPowerW = "power_w";
inline constexpr const char* kEnergyRelativeError = "energy_relative_error";
/// The bytes of a thread that the compiler spilled into local memory.
inline constexpr const char* kSpillBytes = "spill_bytes";
/// The bytes of outputs that a launch must have written, because the right values were not there before.
inline constexpr const char* kBytesToWrite = "bytes_to_write";
/// The errors of the outputs against the reference. They are the maximum absolute error, the maximum and the
/// mean relative error, and the maximum error in units in the last place (ULP). If several launches were
/// compared with the reference, each is that of the launch in which it is largest.
inline constexpr const char* kErrorMaxAbsolute = "error_max_absolute";
inline constexpr const char* kErrorMaxRelative = "error_max_relative";
inline constexpr const char* kErrorMeanRelative = "error_mean_relative";
inline constexpr const char* kErrorMaxUlp = "error_max_ulp";
/// Results of verifying a session's best configuration with new inputs before it is reported:
/// * how many launches were verified,
/// * the probability that an error that occurs in one of 100 launches would have been found,
/// * how many launches had different bits in their outputs,
/// * the maximum difference between launches, as a share of the tolerance.
inline constexpr const char* kVerifiedLaunches = "verified_launches";
inline constexpr const char* kDetectionChance = "detection_chance";
inline constexpr const char* kDeviatingLaunches = "deviating_launches";
inline constexpr const char* kDeviationShareOfTolerance = "deviation_of_tolerance";
/// The bits of the outputs in the final rounds. The launches include those of earlier confirmations:
/// * digests of the inputs and of the outputs of a launch on them, integers below 2^53, which a double holds
///   exactly. Equal digests mean equal bits, except with a probability of 2^-53.
/// * how many launches were compared with an earlier launch of the row on the same inputs,
/// * how many of these had different bits in their outputs.
inline constexpr const char* kInputDigest = "input_digest";
inline constexpr const char* kOutputDigest = "output_digest";
inline constexpr const char* kComparedLaunches = "compared_launches";
inline constexpr const char* kDifferingLaunches = "differing_launches";
/// 1 if the final rounds or the confirmation rejected the code.
inline constexpr const char* kRejectedInFinals = "rejected_in_finals";

}  // namespace warptune::model::own_metric
