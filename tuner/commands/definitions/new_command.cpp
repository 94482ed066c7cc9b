#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/inspection/first_definition.h"
#include "tuner/commands/command.h"
#include "tuner/commands/options.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::definitions {

namespace {

struct NewOptions {
  std::filesystem::path source;
  std::optional<std::string> entry;
  std::filesystem::path output;
};

Options declare_new() {
  Options options(
      "new FILE",
      "Writes a first definition for a kernel of the CUDA source FILE, from the kernel's signature. "
      "Lines with a comment are guesses.");
  options.positional("FILE", 1, 1)
      .value("entry", "NAME", "the kernel; needed where FILE has several")
      .value("output,o", "FILE", "where to write; default: beside the source, with the ending .toml")
      .help_and_log_level();
  options.example("new saxpy.cu", "Writes saxpy.toml.").related({"check", "tune"});
  return options;
}

std::optional<NewOptions> parse_new(const std::vector<std::string>& arguments) {
  Options options = declare_new();
  if (!options.parse(arguments)) return std::nullopt;
  NewOptions read;
  read.source = options.required("FILE");
  read.entry = options.text("entry");
  read.output =
      options.path("output").value_or(std::filesystem::path(read.source).replace_extension(".toml"));
  return read;
}

int write_definition(const NewOptions& options) {
  const std::string text = kernel_templates::inspection::first_definition(options.source, options.entry);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(options.output, ignored).parent_path();
  if (!std::filesystem::equivalent(folder, std::filesystem::absolute(options.source, ignored).parent_path(),
                                   ignored))
    throw base::InputError("expected a file beside the source, because the definition names it",
                           {options.output.string(), 0, 0});
  if (std::filesystem::exists(options.output, ignored))
    throw base::InputError("the file exists already; name another one with --output",
                           {options.output.string(), 0, 0});
  base::write_file_atomically(options.output, text);
  text_output::print_text("{} is written; look at its comments, then run: warptune check {}\n",
                          options.output.string(), options.output.string());
  return 0;
}

int run_new(const std::vector<std::string>& arguments) {
  const std::optional<NewOptions> options = parse_new(arguments);
  return options ? write_definition(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::definitions

warptune::tuner::commands::Command warptune::tuner::commands::new_command() {
  return {"new", "write a first definition for a kernel of a CUDA source", definitions::run_new,
          [] { return definitions::declare_new().description(); }};
}
