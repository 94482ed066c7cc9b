#include "fleet/postgresql/libpq.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/shared_library.h"

namespace warptune::fleet::postgresql {

namespace {

constexpr const char* kRemedy =
    "install PostgreSQL's client library (Debian and Ubuntu: apt-get install libpq5)";

Libpq load() {
  const base::SharedLibrary library({"libpq.so.5"}, {}, kRemedy);
  Libpq functions;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.find_symbol(name));
    if (function == nullptr)
      throw base::MachineError(fmt::format("{} has no function {}", library.path(), name), kRemedy);
  };
#define WARPTUNE_LIBPQ_FIND(name) find(functions.name, #name);
  WARPTUNE_LIBPQ(WARPTUNE_LIBPQ_FIND)
#undef WARPTUNE_LIBPQ_FIND
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq loaded = load();
  return loaded;
}

}  // namespace warptune::fleet::postgresql
