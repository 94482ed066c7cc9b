#pragma once

#include <cstddef>
#include <string>

namespace warptune::tuner::exporting {

/// The lines that only one of two texts has, for people: at most `most` lines of `before`, each after `- `,
/// and at most `most` lines of `after`, each after `+ `. Lines that moved are not shown. The include guard is
/// a hash of the rest and is not shown either.
std::string text_difference(const std::string& before, const std::string& after, std::size_t most);

}  // namespace warptune::tuner::exporting
