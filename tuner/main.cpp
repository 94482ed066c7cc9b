#include <vector>

#include "tuner/commands/command.h"

int main(int argument_count, char** arguments) {
  return warptune::tuner::commands::run_program({arguments + 1, arguments + argument_count});
}
