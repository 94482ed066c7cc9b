#pragma once

#include "model/value.h"

namespace warptune::db::storage {

/// How far two problems are apart: the product over all sizes, in the order of their names, of the larger
/// over the smaller; 1 when they are the same, 0 when they cannot be compared (other names, another type or
/// text, a size that is not positive). Ranks as the sum of |log2(asked / stored)| does, of which it is the
/// power of two, and needs no logarithm, so that the exported header computes it to the last bit alike.
double size_ratio(const model::NamedValues& asked, const model::NamedValues& stored);

}  // namespace warptune::db::storage
