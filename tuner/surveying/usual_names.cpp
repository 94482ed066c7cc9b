#include "tuner/surveying/usual_names.h"

#include <fmt/format.h>

namespace warptune::tuner::surveying {

std::string command_by_name(const std::filesystem::path& path, const std::string& command) {
  struct Kind {
    const char* ending;
    const char* what;
    const char* command;
  };
  static constexpr Kind kKinds[] = {{".wtcapture.zst", "a captured launch", "bench"},
                                    {".wtsurvey.zst", "a survey", "survey"},
                                    {".wtrec.zst", "a recording", "profile"}};
  const std::string name = path.filename().string();
  for (const Kind& kind : kKinds) {
    if (name.ends_with(kind.ending) && command != kind.command)
      return fmt::format("; its name is that of {}, for warptune {}", kind.what, kind.command);
  }
  return "";
}

}  // namespace warptune::tuner::surveying
