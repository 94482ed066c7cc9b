// A kernel for tests of costs: a block computes TILE columns of an M x N matrix, and works through M alone.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel_templates/kernel_definition.h"
#include "model/expression.h"
#include "model/gpu_description.h"
#include "tuner/covers/launch_shape.h"

namespace warptune::tuner::covers {

inline kernel_templates::KernelDefinition toy_definition() {
  kernel_templates::KernelDefinition definition;
  definition.name = "toy";
  definition.problem = {{"M", std::int64_t{64}}, {"N", std::int64_t{64}}};
  definition.parameters = {{"TILE", {std::int64_t{16}, std::int64_t{64}, std::int64_t{256}}, "", {}}};
  definition.constraints = {{model::Expression::parse("TILE <= N"), "a tile fits"}};
  definition.launch.grid = {model::Expression::parse("ceil_div(N, TILE)"), model::Expression::parse("1")};
  definition.default_configuration = {{"TILE", std::int64_t{64}}};
  return definition;
}

inline model::NamedValues tile(std::int64_t value) { return {{"TILE", value}}; }

inline std::shared_ptr<const LaunchShape> toy_shape() {
  return std::make_shared<LaunchShape>(toy_definition(), parse_range("M=16..4096, N=16..65536", "here"),
                                       model::NamedValues{}, model::fictional_gpu());
}

/// The time in us: a block takes longer the larger its tile is, and a row that is not aligned takes longer.
inline double toy_time_us(std::int64_t tile, const Size& size) {
  const std::int64_t blocks = (size[1] + tile - 1) / tile;
  const std::int64_t waves = (blocks + model::fictional_gpu().sm_count - 1) / model::fictional_gpu().sm_count;
  const double per_row = 0.01 + 0.0004 * static_cast<double>(tile);
  const double more = size[0] % 4 != 0 ? 1.5 : 1.0;
  return 3.0 + more * static_cast<double>(waves * size[0]) * per_row;
}

}  // namespace warptune::tuner::covers
