#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/expression.h"

namespace warptune::kernel_templates {

/// One launch of a kernel.
struct Launch {
  std::string entry;  ///< With `{NAME}` placeholders; empty: the kernel's (or variant's) entry.
  std::vector<model::Expression> grid;
  std::vector<model::Expression> block;
  std::vector<model::Expression> cluster;
  std::optional<model::Expression> shared_bytes;
  std::optional<model::Expression> when;
  std::optional<model::Expression> cooperative;  ///< Where it holds, all blocks must be resident at once.
};

/// What a step passes for one parameter of its kernel: an argument of the definition, or a value.
struct HostArgument {
  std::string name;                         ///< Empty: `value`.
  std::optional<model::Expression> offset;  ///< Of a buffer: its elements that are skipped.
  std::optional<model::Expression> value;
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
  std::optional<model::Expression> from_offset;
  std::optional<model::Expression> to_offset;
  std::optional<model::Expression> count;  ///< Nothing: all from the offset on.
};

struct HostFill {
  std::string buffer;
  std::optional<model::Expression> offset;
  std::optional<model::Expression> count;  ///< Nothing: all from the offset on.
  model::Expression byte;                  ///< 0 to 255.
};

/// A library's call. There is one, "cublas_gemm": row-major C (m x n) = A (m x k) B (k x n).
struct HostCall {
  std::string function;
  std::string a;
  std::string b;
  std::string c;
  model::Expression m;
  model::Expression n;
  model::Expression k;
  std::optional<model::Expression> math;  ///< 'default' (also where it is not given) or 'pedantic'.
};

/// This stream waits for what has been put on another one so far.
struct HostWait {
  model::Expression stream;
};

/// The host waits for all streams.
struct HostSynchronise {};

struct HostStep {
  std::variant<HostLaunch, HostCopy, HostFill, HostCall, HostWait, HostSynchronise> action;
  std::optional<model::Expression> when;
  std::optional<model::Expression> stream;  ///< Nothing: the loop's.
  base::SourcePosition position;
};

struct HostLoop {
  std::optional<model::Expression> times;
  std::optional<model::Expression> when;
  std::optional<model::Expression> stream;
  std::vector<HostStep> steps;
};

/// What the host does in one evaluation. Expressions of loops see their turn as `k`.
struct HostProgram {
  std::optional<model::Expression> streams;
  std::optional<model::Expression> graph;
  std::optional<model::Expression> timed;  ///< By whose time, "host" or "gpu"; nothing: "host".
  std::vector<HostLoop> loops;
};

}  // namespace warptune::kernel_templates
