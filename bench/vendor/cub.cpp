#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "bench/vendor/cub_calls.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/vendor_library.h"

namespace warptune::bench::vendor {

namespace {

void check(int code, const std::string& name) {
  if (code != 0) require_success(code, name, cub_error(code));
}

// The call with its temporary storage, on the buffers of the arguments at these positions.
Call call_of(const std::string& what, const std::optional<CubCall>& made,
             const std::vector<std::size_t>& positions) {
  const std::string name = fmt::format("{} {}", cub_version(), what);
  if (!made) throw base::InputError(fmt::format("{} is not compiled in for these types and sizes", name));
  std::size_t bytes = 0;
  check((*made)(nullptr, bytes, nullptr, std::vector<void*>(positions.size(), nullptr)), name);
  const auto storage = shared_memory(std::max<std::size_t>(bytes, 1), name);
  Call call;
  call.name = name;
  call.launch.launch = [=, cub = *made](void* stream, const std::vector<std::uint64_t>& buffers) {
    std::vector<void*> pointers;
    pointers.reserve(positions.size());
    for (const std::size_t position : positions) pointers.push_back(pointer_of(buffers[position]));
    std::size_t given = bytes;
    check(cub(pointer_of(storage->get()), given, stream, pointers), name);
  };
  return call;
}

}  // namespace

std::vector<Call> make_cub_transform(const Workload& workload) {
  const std::string operation = workload.has_entry("operation") ? workload.text("operation") : "add";
  const bool two = operation == "add" || operation == "triad";
  std::vector<std::size_t> positions = {workload.position("a")};
  if (two) positions.push_back(workload.position("b"));
  positions.push_back(workload.position("c"));
  const auto scalar = [&](std::string_view name, double otherwise) {
    return workload.has_argument(name) ? workload.scalar(name) : otherwise;
  };
  const TransformScalars scalars = {scalar("alpha", 1.0), scalar("low", 0.0), scalar("high", 0.0)};
  return {call_of(fmt::format("DeviceTransform ({})", operation),
                  cub_transform(operation, workload.type_name("a"), workload.size("N"), scalars), positions)};
}

std::vector<Call> make_cub_reduce(const Workload& workload) {
  const std::string operation = workload.text("operation");
  return {call_of(
      fmt::format("DeviceReduce ({})", operation),
      cub_reduce(operation, workload.type_name("a"), workload.type_name("result"), workload.size("N")),
      {workload.position("a"), workload.position("result")})};
}

std::vector<Call> make_cub_dot(const Workload& workload) {
  return {call_of("DeviceReduce::TransformReduce",
                  cub_dot(workload.type_name("a"), workload.type_name("result"), workload.size("N")),
                  {workload.position("a"), workload.position("b"), workload.position("result")})};
}

std::vector<Call> make_cub_scan(const Workload& workload) {
  if (workload.text("operation") != "sum") throw base::InputError("the reference scans sums");
  const std::string scan = workload.text("scan");
  return {call_of(fmt::format("DeviceScan ({})", scan),
                  cub_scan(scan, workload.type_name("a"), workload.type_name("out"), workload.size("N")),
                  {workload.position("a"), workload.position("out")})};
}

std::vector<Call> make_cub_histogram(const Workload& workload) {
  return {
      call_of("DeviceHistogram::HistogramEven",
              cub_histogram(workload.type_name("samples"), workload.type_name("counts"), workload.size("N"),
                            workload.size("BINS"), workload.scalar("lower"), workload.scalar("upper")),
              {workload.position("samples"), workload.position("counts")})};
}

}  // namespace warptune::bench::vendor
