// The C data interface of Arrow (https://arrow.apache.org/docs/format/CDataInterface.html), by which
// libraries pass tables to each other without copying them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "python/native/row_table.h"

namespace warptune::python::native {

/// A capsule `arrow_array_stream` with the table as its only batch. The consumer releases it.
nanobind::capsule arrow_stream(std::shared_ptr<const RowTable> table);

}  // namespace warptune::python::native
