#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "search/expression.h"

namespace warptune::kernel_templates {

/// One launch of a kernel.
struct Launch {
  std::string entry;  ///< With `{NAME}` placeholders; empty: the kernel's (or variant's) entry.
  std::vector<search::Expression> grid;
  std::vector<search::Expression> block;
  std::vector<search::Expression> cluster;
  std::optional<search::Expression> shared_bytes;
  std::optional<search::Expression> when;
  std::optional<search::Expression> cooperative;  ///< Where it holds, all blocks must be resident at once.
};

/// What a step passes for one parameter of its kernel: an argument of the definition, or a value.
struct HostArgument {
  std::string name;                          ///< Empty: `value`.
  std::optional<search::Expression> offset;  ///< Of a buffer: its elements that are skipped.
  std::optional<search::Expression> value;
  std::string type;  ///< Of `value`: a data type or a problem entry that names one.
};

struct HostLaunch {
  Launch launch;
  std::optional<std::vector<HostArgument>> arguments;  ///< Nothing: all of the definition's, in order.
};

/// Elements of one buffer to another of the same type.
struct HostCopy {
  std::string from;
  std::string to;
  std::optional<search::Expression> from_offset;
  std::optional<search::Expression> to_offset;
  std::optional<search::Expression> count;  ///< Nothing: all from the offset on.
};

struct HostFill {
  std::string buffer;
  std::optional<search::Expression> offset;
  std::optional<search::Expression> count;  ///< Nothing: all from the offset on.
  search::Expression byte;                  ///< 0 to 255.
};

/// A library's call. There is one, "cublas_gemm": row-major C (m x n) = A (m x k) B (k x n).
struct HostCall {
  std::string function;
  std::string a;
  std::string b;
  std::string c;
  search::Expression m;
  search::Expression n;
  search::Expression k;
  std::optional<search::Expression> math;  ///< 'default' (also where it is not given) or 'pedantic'.
};

/// This stream waits for what has been put on another one so far.
struct HostWait {
  search::Expression stream;
};

/// The host waits for all streams.
struct HostSynchronise {};

struct HostStep {
  std::variant<HostLaunch, HostCopy, HostFill, HostCall, HostWait, HostSynchronise> action;
  std::optional<search::Expression> when;
  std::optional<search::Expression> stream;  ///< Nothing: the loop's.
  base::SourcePosition position;
};

struct HostLoop {
  std::optional<search::Expression> times;
  std::optional<search::Expression> when;
  std::optional<search::Expression> stream;
  std::vector<HostStep> steps;
};

/// What the host does in one evaluation. Expressions of loops see their turn as `k`.
struct HostProgram {
  std::optional<search::Expression> streams;
  std::optional<search::Expression> graph;
  std::optional<search::Expression> timed;  ///< By whose time, "host" or "gpu"; nothing: "host".
  std::vector<HostLoop> loops;
};

}  // namespace warptune::kernel_templates
