#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/space.h"

namespace warptune::search::analysis {

/// The interaction of two parameters: the share of the variance that they explain only together.
struct PairShare {
  std::size_t first = 0;
  std::size_t second = 0;  ///< Greater than `first`.
  double share = 0.0;
};

/// The variance of a response, divided among the parameters. The shares of parameters, pairs and rest add up
/// to 1. If the response does not vary, all are 0.
struct Importance {
  std::size_t configurations = 0;
  double variance = 0.0;             ///< The variance of the response.
  std::vector<double> by_parameter;  ///< The share of each parameter, in their order. If constraints make
                                     ///< parameters depend on each other, a share may be slightly negative.
  std::vector<PairShare> pairs;  ///< The pairs with the largest shares, at most twelve, in descending order.
  double rest = 0.0;             ///< The share of all other pairs, and of more than two parameters.
};

/// Functional analysis of variance of `responses` over `configurations`. There is one response for each
/// configuration.
///
/// A least-squares fit finds the sum of functions of one parameter that is nearest to the responses. A second
/// fit finds the sum of functions of two parameters that is nearest to the residual.
///
/// Hutter, Hoos and Leyton-Brown (ICML 2014) average over all combinations of values. Under constraints most
/// combinations are invalid, and their responses would be extrapolated. This function averages only over the
/// given configurations, as Hooker (J. Comput. Graph. Stat. 16, 2007) does for dependent inputs. The shares
/// are covariances with the response (Li et al., J. Phys. Chem. A 114, 2010), so that they add up. Over all
/// combinations, both methods give the same result. Effects that constraints make indistinguishable are
/// divided evenly among their parameters.
Importance importance_of(const std::vector<model::Parameter>& parameters,
                         const std::vector<model::Configuration>& configurations,
                         std::span<const double> responses);

}  // namespace warptune::search::analysis
