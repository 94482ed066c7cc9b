#pragma once

#include <string>
#include <string_view>

namespace warptune::python::native {

/// A message of the command line, in the words of the Python package: options become arguments
/// (`--budget abc: ...` becomes `budget=abc: ...`), and commands become methods (`Kernel.tune`).
std::string in_python(std::string_view message);

}  // namespace warptune::python::native
