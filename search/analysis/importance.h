#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/space.h"

namespace warptune::search::analysis {

/// What two parameters do together beyond what each does alone.
struct PairShare {
  std::size_t first = 0;
  std::size_t second = 0;  ///< Greater than `first`.
  double share = 0.0;
};

/// The variance of a response over configurations, taken apart. Parameters, pairs and rest add up to 1 unless
/// the response does not vary (then all are 0).
struct Importance {
  std::size_t configurations = 0;
  double variance = 0.0;             ///< Of the response.
  std::vector<double> by_parameter;  ///< Shares, in the order of the parameters. Where constraints make
                                     ///< parameters follow each other one may be slightly negative.
  std::vector<PairShare> pairs;      ///< The strongest, strongest first, at most twelve.
  double rest = 0.0;                 ///< Weaker pairs, and more than two parameters together.
};

/// Functional analysis of variance of `responses`, one a configuration, as these lie: the additive function
/// nearest to the responses (least squares over the configurations given), then the functions of two
/// parameters nearest to what is left.
///
/// Hutter, Hoos, Leyton-Brown (ICML 2014) average over the product of all values; under constraints most of
/// that product cannot run and its responses would be made up. This averages over configurations that exist
/// instead, as Hooker (J. Comput. Graph. Stat. 16, 2007) does for inputs that depend on each other, and
/// shares out the variance by covariances (Li et al., J. Phys. Chem. A 114, 2010), so that it adds up. Over a
/// full product both give the same. Where constraints tie parameters, what cannot be told apart is divided
/// evenly.
Importance importance_of(const std::vector<model::Parameter>& parameters,
                         const std::vector<model::Configuration>& configurations,
                         std::span<const double> responses);

}  // namespace warptune::search::analysis
