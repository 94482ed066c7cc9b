#include <vector>

#include "tuner/cli/command.h"

int main(int argument_count, char** arguments) {
  return warptune::tuner::cli::run_program({arguments + 1, arguments + argument_count});
}
