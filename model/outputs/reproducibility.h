// Which results the winner of a kernel must give: always the same bits, or a bounded error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.h"

namespace warptune::model::outputs {

/// What `--reproducible` demands of the outputs of a configuration. It holds for the problem, the GPU and the
/// inputs of the row that is judged.
struct Reproducibility {
  enum class Demand {
    kRuns,  ///< Each launch on the same inputs gives the same bits.
    kBits,  ///< The same, and these are the bits that the definition's default configuration gives.
    kError  ///< An error against the reference is at most `maximum`.
  };

  Demand demand = Demand::kBits;
  std::string metric{};  ///< For `kError`: the name of the error, one of `own_metric::kErrorMax...`.
  double maximum = 0.0;  ///< For `kError`.
  std::string text = "bits";

  /// Reads `runs`, `bits`, or a bound of the maximum error: `absolute=X`, `relative=X`, `ulp=X`. An empty
  /// text means `bits`. Throws `base::InputError` for another text, and unless X is a number of at least 0.
  static Reproducibility parse(std::string_view text);
  /// The demand as the end of a sentence about a configuration: `gives the same bits in each launch`.
  std::string sentence() const;
  /// The metrics of which a row must have one, or else nothing is known about it.
  std::vector<std::string> evidence() const;
};

/// The values that `Reproducibility::parse` reads, for help and messages: `runs|bits|ulp=X|...`.
inline constexpr const char* kReproducibilityForms = "runs|bits|absolute=X|relative=X|ulp=X";

/// Whether a row meets a demand.
struct ReproducibilityVerdict {
  enum class Kind { kMet, kUnmet, kUnknown };

  Kind kind = Kind::kUnknown;
  std::string reason{};  ///< What was found, without a subject: `gave other bits in 3 of 14 launches`.

  bool is_met() const { return kind == Kind::kMet; }
};

/// Judges a row by the metrics that the end of a session has stored with it. `usual` is the row of the
/// default configuration of the same workload. It is null if there is none. What was not measured on a GPU is
/// unknown: recordings and imported files prove nothing.
ReproducibilityVerdict judge(const Reproducibility& demanded, const Measurement& row,
                             const Measurement* usual);

/// Whether two rows are known to have had the same inputs. They may be of different GPUs.
bool had_same_inputs(const Measurement& a, const Measurement& b);

/// Whether two rows are known to give other bits on the same inputs. They may be of different GPUs.
bool give_other_bits(const Measurement& a, const Measurement& b);

/// The metrics that say which bits a row's outputs have. They hold for its code only.
const std::vector<std::string>& output_bit_metrics();

/// Whether a value of these metrics is possible: an integer from 0 to 2^53, which a double holds exactly.
bool is_exact_count(double value);

/// Whether a metric is a digest. It has 53 significant bits, so files that round numbers leave it out.
bool is_digest(std::string_view metric);

}  // namespace warptune::model::outputs
