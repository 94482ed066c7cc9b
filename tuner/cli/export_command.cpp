#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "db/header_export.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/subjects.h"

namespace warptune::tuner::cli {

namespace {

const db::ExportFormat& format_named(const std::string& name) {
  std::vector<std::string> known;
  for (const db::ExportFormat& format : db::export_formats()) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw base::InputError(fmt::format("--format {}: expected one of {}{}", name, fmt::join(known, " "),
                                     base::did_you_mean(name, known)));
}

db::ExportInput input_of(const std::string& kernel, const db::Store& store, search::CacheState cache) {
  const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
  db::ExportInput input{definition.name,
                        definition.hash,
                        definition.parameters,
                        definition.constraints,
                        definition.problem,
                        definition.default_configuration,
                        store.winners(definition.name, definition.hash)};
  std::erase_if(input.winners, [&](const db::Winner& winner) { return winner.subject.cache != cache; });
  if (input.winners.empty()) {
    const bool other_source = knows_other_source(store, definition);
    throw base::WorkError(fmt::format("nothing is known of {} from a {} L2 cache{}; run warptune tune {}",
                                      definition.name, search::to_string(cache),
                                      other_source ? " as its source is now" : "", kernel));
  }
  return input;
}

}  // namespace

int run_export(const std::vector<std::string>& arguments) {
  std::vector<std::string> formats;
  for (const db::ExportFormat& format : db::export_formats()) formats.emplace_back(format.name);
  Options options("export KERNEL...", "Writes the best configurations of kernels for use in other programs.");
  options.positional("KERNEL", 1, -1)
      .value("output,o", "FILE", "where to; default standard output")
      .value("format", fmt::format("{}", fmt::join(formats, "|")), "form of the output", "header")
      .value("cache", "cold|warm", "timed from a cold or a warm L2 cache", "cold")
      .value("check", "FILE", "write nothing; fail when FILE no longer matches the database")
      .value("log-level", "LEVEL", "trace, debug, info, warn, error or off", "warn")
      .flag("help,h", "print this and exit")
      .database();
  if (!options.parse(arguments)) return 0;
  const db::ExportFormat& format = format_named(*options.text("format"));
  const db::Store store = db::Store::open_existing(database_path(options));
  const search::CacheState cache = cache_state_of(options);
  std::vector<db::ExportInput> inputs;
  for (const std::string& kernel : options.texts("KERNEL")) inputs.push_back(input_of(kernel, store, cache));
  const std::string text = format.write(inputs);
  if (const std::optional<std::string> file = options.text("check")) {
    if (base::read_file(*file) == text) return 0;
    throw base::WorkError(
        fmt::format("{} no longer matches the database; write it again with warptune export {} -o {}", *file,
                    fmt::join(options.texts("KERNEL"), " "), *file));
  }
  if (const std::optional<std::string> file = options.text("output")) {
    base::write_file_atomically(*file, text);
  } else {
    std::cout << text;
  }
  return 0;
}

}  // namespace warptune::tuner::cli
