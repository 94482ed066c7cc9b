#pragma once

#include "model/value.h"

namespace warptune::db::storage {

/// The distance of two problems as a ratio: the product of larger size / smaller size over all sizes, in the
/// order of their names. It is 1 for the same problem. It is 0 if the problems cannot be compared: they have
/// different names, types or texts, or a size that differs is not positive.
///
/// Its binary logarithm is the sum of |log2(asked / stored)|, so both give the same order. The ratio is
/// computed without a logarithm, so the exported header gets exactly the same value.
double size_ratio(const model::NamedValues& asked, const model::NamedValues& stored);

}  // namespace warptune::db::storage
