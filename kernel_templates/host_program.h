#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "model/expression.h"

namespace warptune::kernel_templates {

/// What a launch passes for one parameter of its kernel: an argument of the definition, a value, or a struct.
struct HostArgument {
  std::string name;                         ///< The argument. Empty if a value or a struct is passed.
  std::optional<model::Expression> offset;  ///< For a buffer: the number of elements to skip.
  std::optional<model::Expression> value;
  std::string type;  ///< The type of `value`: a data type, or a problem entry that names one.
  /// The size of a struct that is passed by value, with its padding. 0 if none is passed.
  std::int64_t struct_bytes = 0;
  /// What the struct has: addresses of buffers, and values. All other bytes are zero. Each ends before the
  /// next one begins.
  std::vector<HostArgument> members;
  std::int64_t at = 0;  ///< Only for a member: its place in the struct, in bytes.
};

/// One launch of a kernel.
struct Launch {
  std::string entry;  ///< May have `{NAME}` placeholders. Empty means the entry of the kernel (or variant).
  std::vector<model::Expression> grid;
  std::vector<model::Expression> block;
  std::vector<model::Expression> cluster;
  std::optional<model::Expression> shared_bytes;
  std::optional<model::Expression> when;
  std::optional<model::Expression> cooperative;  ///< All blocks must be resident at once.
  /// The preferred share of an SM's combined L1 cache and shared memory that is shared memory, in percent;
  /// -1: the driver chooses.
  std::optional<model::Expression> carveout;
  /// How the blocks of a cluster are distributed to SMs: 'default', 'spread' or 'load_balancing'.
  std::optional<model::Expression> cluster_scheduling;
  std::optional<std::vector<HostArgument>> arguments;  ///< What is passed; no value means all, in order.
  base::SourcePosition position;                       ///< The position of `entry`, or else of the table.
};

struct HostLaunch {
  Launch launch;
};

/// Copies elements of a buffer to another one of the same type.
struct HostCopy {
  std::string from;
  std::string to;
  std::optional<model::Expression> from_offset;
  std::optional<model::Expression> to_offset;
  /// No value means all elements of `from` after `from_offset`. They must fit into `to` after `to_offset`.
  std::optional<model::Expression> count;
};

struct HostFill {
  std::string buffer;
  std::optional<model::Expression> offset;
  std::optional<model::Expression> count;  ///< No value means all elements after the offset.
  model::Expression byte;                  ///< 0 to 255.
};

/// Moves pages of a buffer in managed memory to the GPU or to the host (CUDA driver API, cuMemPrefetchAsync).
struct HostPrefetch {
  std::string buffer;
  std::optional<model::Expression> offset;
  std::optional<model::Expression> count;  ///< No value means all elements after the offset.
  model::Expression to;                    ///< "device" or "host".
};

/// A call of a library. The only function is "cublas_gemm": row-major C (m x n) = A (m x k) B (k x n).
struct HostCall {
  std::string function;
  std::string a;
  std::string b;
  std::string c;
  model::Expression m;
  model::Expression n;
  model::Expression k;
  std::optional<model::Expression> math;  ///< 'default' or 'pedantic'; no value means 'default'.
};

/// The step's stream waits for all work that another stream has got so far.
struct HostWait {
  model::Expression stream;
};

/// The host takes memory of the GPU and gives it back, as a program does that makes a temporary buffer each
/// time. No kernel gets the memory.
struct HostAllocate {
  model::Expression bytes;
  /// Whether the memory comes from the GPU's memory pool, in the order of the step's stream. No value means
  /// no.
  std::optional<model::Expression> pool;
};

/// The host waits for all streams.
struct HostSynchronise {};

struct HostStep {
  std::variant<HostLaunch, HostCopy, HostFill, HostPrefetch, HostCall, HostWait, HostAllocate,
               HostSynchronise>
      action;
  std::optional<model::Expression> when;
  std::optional<model::Expression> stream;  ///< No value means the stream of the loop.
  base::SourcePosition position;
};

struct HostLoop {
  std::optional<model::Expression> times;
  std::optional<model::Expression> when;
  std::optional<model::Expression> stream;
  std::vector<HostStep> steps;
};

/// What the host does in one evaluation. Within a loop, `k` is the number of the iteration.
struct HostProgram {
  std::optional<model::Expression> streams;
  /// The priorities of the first streams: 'high', 'low', or the driver's number. Those of the others are low.
  std::vector<model::Expression> priorities;
  std::optional<model::Expression> graph;
  std::optional<model::Expression> timed;  ///< The clock: "host" (also if missing) or "gpu".
  std::vector<HostLoop> loops;
};

}  // namespace warptune::kernel_templates
