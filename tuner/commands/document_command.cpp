#include <filesystem>
#include <optional>
#include <vector>

#include "base/files.h"
#include "kernel_templates/library.h"
#include "kernel_templates/read_scope.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/kernel_pages/kernel_page.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

struct DocumentOptions {
  std::string kernel;
  kernel_templates::Permissions permissions;
  std::optional<std::filesystem::path> output;  ///< No value: standard output.
};

Options declare_document() {
  Options options("document KERNEL", "Writes a page about KERNEL from its definition, in Markdown.");
  declare_kernel(options, 1, 1).value("output,o", "FILE", "file to write; default: standard output");
  declare_permissions(options).help_and_log_level();
  options.example("document transpose -o transpose.md", "Writes the kernel's page in Markdown.")
      .related({"space", "list"});
  return options;
}

std::optional<DocumentOptions> parse_document(const std::vector<std::string>& arguments) {
  Options options = declare_document();
  if (!options.parse(arguments)) return std::nullopt;
  return DocumentOptions{options.required("KERNEL"), read_permissions(options),
                         options.output_path("output")};
}

int write_page(const DocumentOptions& options) {
  const std::string page =
      kernel_pages::kernel_page(kernel_templates::load_kernel(options.kernel, options.permissions));
  if (options.output) {
    base::write_file_atomically(*options.output, page);
  } else {
    text_output::print_to(stdout, page);
  }
  return 0;
}

int run_document(const std::vector<std::string>& arguments) {
  const std::optional<DocumentOptions> options = parse_document(arguments);
  return options ? write_page(*options) : 0;
}

}  // namespace

Command document_command() {
  return {"document", "write a page about a kernel from its definition, in Markdown", run_document,
          [] { return declare_document().description(); }};
}

}  // namespace warptune::tuner::commands
