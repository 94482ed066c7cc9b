#pragma once

#include <functional>
#include <string_view>

namespace warptune::base::streams {

/// Receives a text piece by piece.
using TextSink = std::function<void(std::string_view piece)>;

}  // namespace warptune::base::streams
