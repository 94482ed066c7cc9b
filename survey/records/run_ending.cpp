#include "survey/records/run_ending.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"

namespace warptune::survey::records {

std::string ending_of(const Run& run) {
  const std::string after = base::format_time_ns(static_cast<double>(run.duration));
  if (run.signal) {
    return fmt::format(
        "The program was ended by signal {} ({}) after {}. The survey has what was seen until then.",
        *run.signal, ::strsignal(*run.signal), after);
  }
  if (!run.exit_code) return fmt::format("The program still ran when the survey ended, after {}.", after);
  if (*run.exit_code == 0) return "";
  return fmt::format("The program ended with exit code {} after {}.", *run.exit_code, after);
}

}  // namespace warptune::survey::records
