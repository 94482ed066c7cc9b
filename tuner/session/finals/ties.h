#pragma once

#include <vector>

#include "model/measurement.h"
#include "model/value.h"

namespace warptune::tuner::session::finals {

/// Whether two configurations that were timed in the same rounds are equally fast. They are if the 95 %
/// interval of the median of their differences, round by round, includes 0. The interval is built from order
/// statistics, which needs no assumption about the distribution. It inverts the sign test (Conover, Practical
/// Nonparametric Statistics, 3rd edition, 3.4; Hollander, Wolfe, Chicken, Nonparametric Statistical Methods,
/// 3.6). Lists of different lengths cannot be paired. They are compared by whether the intervals of their
/// medians overlap. All times are in ns.
bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns);

/// Whether `a` is the simpler choice. The simpler one has fewer parameters that differ from the default, then
/// fewer registers, then less shared memory, then the shorter time.
bool is_simpler(const model::Measurement& a, const model::Measurement& b,
                const model::NamedValues& default_configuration);

}  // namespace warptune::tuner::session::finals
