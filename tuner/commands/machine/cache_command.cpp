#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/compile_cache.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::machine {

namespace {

struct CacheOptions {
  bool clear = false;
  std::filesystem::path folder;
  bool json = false;
};

Options declare_cache() {
  Options options("cache info|clear", "Shows what the cache of compiled code holds, or empties it.");
  options.positional("ACTION", 1, 1)
      .value("compile-cache", "DIR", fmt::format("folder of the cache; default: {}", kUsualCompileCache))
      .common();
  options.example("cache info", "Says where compiled code is kept and how much there is.")
      .example("cache clear", "Empties it.")
      .related({"db", "tune"});
  return options;
}

std::optional<CacheOptions> parse_cache(const std::vector<std::string>& arguments) {
  Options options = declare_cache();
  if (!options.parse(arguments)) return std::nullopt;
  const std::string action = options.required("ACTION");
  if (action != "info" && action != "clear")
    throw base::InputError(fmt::format("cache {}: expected info or clear", action));
  const std::filesystem::path folder = read_compile_cache(options);
  if (folder.empty())
    throw base::InputError("the folder of the compile cache is not known; name it with --compile-cache DIR");
  return CacheOptions{action == "clear", folder, options.json()};
}

int show_or_clear(const CacheOptions& options) {
  kernel_templates::CompileCache cache(options.folder);
  const kernel_templates::CacheStatistics before = cache.statistics();
  if (options.clear) cache.clear();
  const kernel_templates::CacheStatistics after = cache.statistics();
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("cache");
    report["path"] = options.folder.string();
    report["entry_count"] = after.entries;
    report["bytes"] = after.bytes;
    report["max_bytes"] = after.max_bytes;
    report["removed_count"] = before.entries - after.entries;
    text_output::print_out("{}\n", json_output::to_text(report));
    return 0;
  }
  text_output::print_text("{}: {}, {:.1f} MiB of at most {:.0f} MiB\n", options.folder.string(),
                          base::counted(after.entries, "compiled program"),
                          static_cast<double>(after.bytes) / 1048576.0,
                          static_cast<double>(after.max_bytes) / 1048576.0);
  if (options.clear) text_output::print_text("{} removed\n", before.entries - after.entries);
  return 0;
}

int run_cache(const std::vector<std::string>& arguments) {
  const std::optional<CacheOptions> options = parse_cache(arguments);
  return options ? show_or_clear(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::machine

warptune::tuner::commands::Command warptune::tuner::commands::cache_command() {
  return {"cache", "show what the cache of compiled code holds, or empty it", machine::run_cache,
          [] { return machine::declare_cache().description(); }};
}
