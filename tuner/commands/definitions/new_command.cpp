#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/inspection/first_definition.h"
#include "tuner/commands/command.h"
#include "tuner/commands/options.h"
#include "tuner/drafting/draft_session.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::definitions {

namespace {

constexpr std::uint64_t kMaxDataMib = 4096;

Options declare_new() {
  Options options(
      "new FILE",
      "Writes a first definition for a kernel of the CUDA source FILE, from the kernel's signature. "
      "Lines with a comment are guesses. With a launch that 'survey --capture' stored, sizes, values and "
      "contents are those of the launch, and its outputs are the reference.");
  options.positional("FILE", 1, 1)
      .value("entry", "NAME", "the kernel; needed where FILE has several")
      .value("from", "CAPTURE", "a captured launch of the kernel")
      .value("data-limit", "MIB", "the most MiB of contents that are written, at most 4096", "1024")
      .value("output,o", "FILE", "where to write; default: beside the source, with the ending .toml")
      .help_and_log_level();
  options.example("new saxpy.cu", "Writes saxpy.toml.")
      .example("new saxpy.cu --from saxpy.wtcapture.zst",
               "Writes saxpy.toml, and the contents into saxpy.data.")
      .related({"check", "tune", "survey"});
  return options;
}

// Without a capture, the signature is all that is known.
std::optional<drafting::DraftRequest> parse_new(const std::vector<std::string>& arguments) {
  Options options = declare_new();
  if (!options.parse(arguments)) return std::nullopt;
  drafting::DraftRequest read;
  read.source = options.required("FILE");
  read.entry = options.text("entry");
  read.output =
      options.path("output").value_or(std::filesystem::path(read.source).replace_extension(".toml"));
  if (read.output.extension() != ".toml")  // Other commands recognise a definition by it.
    throw base::InputError(
        fmt::format("--output {}: expected a file with the ending .toml", read.output.string()));
  read.capture = options.path("from").value_or("");
  if (read.capture.empty() && options.has("data-limit"))
    throw base::InputError("--data-limit is for --from CAPTURE");
  read.limit_mib = *options.positive_number("data-limit");
  if (read.limit_mib > kMaxDataMib) {
    throw base::InputError(fmt::format("--data-limit {}: expected at most {}", read.limit_mib, kMaxDataMib));
  }
  return read;
}

void require_new_beside_source(const drafting::DraftRequest& draft) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(draft.output, ignored).parent_path();
  if (!std::filesystem::equivalent(folder, std::filesystem::absolute(draft.source, ignored).parent_path(),
                                   ignored))
    throw base::InputError("expected a file beside the source, because the definition names it",
                           {draft.output.string(), 0, 0});
  if (std::filesystem::exists(draft.output, ignored))
    throw base::InputError("the file exists already; name another one with --output",
                           {draft.output.string(), 0, 0});
}

int write_definition(const drafting::DraftRequest& draft) {
  const std::string text = kernel_templates::inspection::first_definition(draft.source, draft.entry);
  require_new_beside_source(draft);
  base::write_file_atomically(draft.output, text);
  text_output::print_text("{} is written; look at its comments, then run: warptune check {}\n",
                          draft.output.string(), draft.output.string());
  return 0;
}

int write_captured(const drafting::DraftRequest& request) {
  require_new_beside_source(request);
  const drafting::Draft draft = drafting::write_draft(request);
  for (const std::string& note : draft.notes) text_output::print_text("Note: {}\n", note);
  if (draft.files > 0) {
    text_output::print_text("{} in {} {} the contents of the launch, {}.\n",
                            base::counted(draft.files, "file"), draft.folder.string(),
                            draft.files == 1 ? "has" : "have",
                            text_output::format_counter("byte", static_cast<double>(draft.bytes)));
  }
  text_output::print_text("{} is written; look at its comments, then run: warptune check --trust {}\n",
                          request.output.string(), request.output.string());
  return 0;
}

int run_new(const std::vector<std::string>& arguments) {
  const std::optional<drafting::DraftRequest> draft = parse_new(arguments);
  if (!draft) return 0;
  return draft->capture.empty() ? write_definition(*draft) : write_captured(*draft);
}

}  // namespace

}  // namespace warptune::tuner::commands::definitions

warptune::tuner::commands::Command warptune::tuner::commands::new_command() {
  return {"new", "write a first definition for a kernel of a CUDA source", definitions::run_new,
          [] { return definitions::declare_new().description(); }};
}
