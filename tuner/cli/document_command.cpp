#include <iostream>

#include "base/files.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/kernel_page.h"

namespace warptune::tuner::cli {

int run_document(const std::vector<std::string>& arguments) {
  Options options("document KERNEL", "Writes a page about KERNEL from its definition, in Markdown.");
  options.positional("KERNEL", 1, 1)
      .value("output,o", "FILE", "where to; default standard output")
      .value("log-level", "LEVEL", "trace, debug, info, warn, error or off", "warn")
      .flag("help,h", "print this and exit");
  if (!options.parse(arguments)) return 0;
  const std::string page = kernel_page(kernel_templates::load_kernel(options.required("KERNEL")));
  if (const std::optional<std::string> file = options.text("output")) {
    base::write_file_atomically(*file, page);
  } else {
    std::cout << page;
  }
  return 0;
}

}  // namespace warptune::tuner::cli
