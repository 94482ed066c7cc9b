#pragma once

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include "tuner/workers/workers.h"

namespace warptune::bench {

/// Parses the command line. With --help it prints the options and returns std::nullopt. Throws if an option
/// is unknown or has a wrong value.
inline std::optional<boost::program_options::variables_map> parse_options(
    const std::string& program, const boost::program_options::options_description& options,
    int argument_count, char** arguments) {
  namespace po = boost::program_options;
  po::variables_map given;
  po::store(po::parse_command_line(argument_count, arguments, options), given);
  po::notify(given);
  if (given.count("help") == 0) return given;
  std::ostringstream text;
  text << options;
  std::fputs(fmt::format("{} [OPTIONS]\n{}\n", program, text.str()).c_str(), stdout);
  return std::nullopt;
}

/// The `main` of a benchmark that is also its own worker program. With the arguments `worker ROLE DESCRIPTOR
/// NAME` it runs a worker, otherwise `measure`. It prints what an exception says and returns 1.
inline int run_program(const std::string& program, int argument_count, char** arguments,
                       const std::function<int(int, char**)>& measure) {
  try {
    if (argument_count > 2 && std::string(arguments[1]) == "worker")
      return tuner::workers::run_worker({arguments + 2, arguments + argument_count});
    return measure(argument_count, arguments);
  } catch (const std::exception& error) {
    std::fputs(fmt::format("{}: {}\n", program, error.what()).c_str(), stderr);
    return 1;
  }
}

}  // namespace warptune::bench
