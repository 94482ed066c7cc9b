// Warnings about files of a spool that are damaged or do not belong to it.
#pragma once

#include <string>

namespace warptune::fleet::spool {

/// Logs a warning, unless this process has logged the same one. A node reads the same files every few
/// seconds.
void warn_once(const std::string& text);

}  // namespace warptune::fleet::spool
