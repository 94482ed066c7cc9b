#pragma once

#include "model/value.h"

namespace warptune::db::storage {

/// The distance of two problems as a ratio. It is the product of larger size / smaller size over all sizes,
/// in the order of their names. It is 1 for the same problem. It is 0 if the problems cannot be compared:
/// other names, another type or text, or a size that is not positive.
///
/// Its logarithm is the sum of |log2(asked / stored)|, so both rank alike. The ratio needs no logarithm, so
/// the exported header can compute it with identical bits.
double size_ratio(const model::NamedValues& asked, const model::NamedValues& stored);

}  // namespace warptune::db::storage
