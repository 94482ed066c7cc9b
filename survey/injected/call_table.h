// Which calls of the CUDA API a survey records, and what each is for.
#pragma once

#include <optional>
#include <string_view>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::injected {

/// The function's name without the parts that CUPTI's names have for versions and kinds of default streams:
/// `cudaMemcpyAsync` of `cudaMemcpyAsync_ptsz_v7000`, `cuMemAlloc` of `cuMemAlloc_v2`.
std::string_view plain_call_name(std::string_view name);

/// What a call is for, by its plain name. Returns std::nullopt for a call that a survey does not record, such
/// as `cudaGetLastError`. Queries of streams and events are among these, because programs poll with them.
std::optional<collecting::CallPurpose> purpose_of_call(std::string_view plain_name);

}  // namespace warptune::survey::injected
