#include "python/native/named_values.h"

#include <fmt/format.h>

#include <string>

namespace warptune::python::native {

namespace nb = nanobind;

model::NamedValues named_values(const nb::dict& values) {
  model::NamedValues named;
  for (const auto& [key, held] : values) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    model::Value value;
    if (!nb::try_cast(held, value)) {
      throw nb::type_error(fmt::format("{}: expected a bool, an int, a float or a str, found {}", name,
                                       nb::cast<std::string>(nb::str(held.type())))
                               .c_str());
    }
    named.emplace_back(name, value);
  }
  return named;
}

nb::dict to_python(const model::NamedValues& values) {
  nb::dict named;
  for (const auto& [name, value] : values) named[nb::cast(name)] = nb::cast(value);
  return named;
}

}  // namespace warptune::python::native
