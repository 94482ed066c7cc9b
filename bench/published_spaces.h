#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/space.h"

// Search spaces from the literature: their parameters, constraints and published numbers of valid
// configurations.
namespace warptune::bench {

struct PublishedSpace {
  std::string name;
  std::vector<model::Parameter> parameters;
  std::vector<model::Constraint> constraints;
  std::uint64_t cartesian = 0;
  std::uint64_t valid = 0;
};

namespace spaces {

inline model::Parameter integers(std::string name, const std::vector<std::int64_t>& values) {
  model::Parameter parameter;
  parameter.name = std::move(name);
  for (const std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

/// `first`, `first + step`, ... up to `last`.
inline model::Parameter range(std::string name, std::int64_t first, std::int64_t last,
                              std::int64_t step = 1) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value += step) values.push_back(value);
  return spaces::integers(std::move(name), values);
}

inline model::Parameter powers_of_two(std::string name, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= 2) values.push_back(value);
  return spaces::integers(std::move(name), values);
}

inline std::vector<model::Constraint> constraints(const std::vector<std::string>& texts) {
  std::vector<model::Constraint> all;
  for (const std::string& text : texts) all.push_back({model::Expression::parse(text), ""});
  return all;
}

inline PublishedSpace dedispersion() {
  return {
      "Dedispersion",
      {spaces::integers("block_size_x", {1, 2, 4, 8, 16, 32}), spaces::range("block_size_y", 32, 256, 8),
       spaces::integers("block_size_z", {1}), spaces::range("tile_size_x", 1, 4),
       spaces::range("tile_size_y", 1, 8), spaces::integers("tile_stride_x", {0, 1}),
       spaces::integers("tile_stride_y", {0, 1}), spaces::integers("loop_unroll_factor_channel", {0})},
      spaces::constraints({"block_size_x * block_size_y >= 32 && block_size_x * block_size_y <= 1024",
                           "tile_size_x > 1 || tile_stride_x == 0", "tile_size_y > 1 || tile_stride_y == 0"}),
      22272,
      11130};
}

inline PublishedSpace expdist() {
  return {
      "ExpDist",
      {spaces::powers_of_two("block_size_x", 32, 1024), spaces::powers_of_two("block_size_y", 1, 32),
       spaces::range("tile_size_x", 1, 8), spaces::range("tile_size_y", 1, 8),
       spaces::integers("use_shared_mem", {0, 1, 2}), spaces::range("loop_unroll_factor_x", 1, 8),
       spaces::range("loop_unroll_factor_y", 1, 8), spaces::integers("use_column", {0, 1}),
       spaces::integers("use_separate_acc", {0}), spaces::powers_of_two("n_y_blocks", 1, 1024)},
      spaces::constraints({"use_column != 0 || n_y_blocks <= 1", "use_column != 0 || use_shared_mem != 2",
                           "loop_unroll_factor_x <= tile_size_x && tile_size_x % loop_unroll_factor_x == 0",
                           "loop_unroll_factor_y <= tile_size_y && tile_size_y % loop_unroll_factor_y == 0",
                           "block_size_x * block_size_y <= 1024"}),
      9732096,
      294000};
}

inline PublishedSpace hotspot() {
  const std::string shared =
      "(block_size_x * tile_size_x + temporal_tiling_factor * 2) * "
      "(block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4";
  std::vector<std::int64_t> widths = {1, 2, 4, 8, 16};
  for (std::int64_t width = 32; width <= 1024; width += 32) widths.push_back(width);
  return {"Hotspot",
          {spaces::integers("grid_width", {4096}), spaces::integers("grid_height", {4096}),
           spaces::integers("block_size_x", widths), spaces::powers_of_two("block_size_y", 1, 32),
           spaces::range("tile_size_x", 1, 10), spaces::range("tile_size_y", 1, 10),
           spaces::range("temporal_tiling_factor", 1, 10), spaces::integers("max_tfactor", {10}),
           spaces::range("loop_unroll_factor_t", 1, 10), spaces::integers("sh_power", {0, 1}),
           spaces::range("blocks_per_sm", 0, 4)},
          spaces::constraints({"block_size_x * block_size_y >= 32", "block_size_x * block_size_y <= 1024",
                               "temporal_tiling_factor % loop_unroll_factor_t == 0", shared + " <= 49152",
                               "blocks_per_sm == 0 || " + shared + " * blocks_per_sm <= 102400"}),
          22200000,
          349853};
}

/// CLTune's GEMM, with the values of the examples of CLTune and KTT.
inline PublishedSpace cltune_gemm() {
  return {"CLTune GEMM",
          {spaces::powers_of_two("MWG", 16, 128), spaces::powers_of_two("NWG", 16, 128),
           spaces::powers_of_two("KWG", 16, 32), spaces::powers_of_two("MDIMC", 8, 32),
           spaces::powers_of_two("NDIMC", 8, 32), spaces::powers_of_two("MDIMA", 8, 32),
           spaces::powers_of_two("NDIMB", 8, 32), spaces::integers("KWI", {2, 8}),
           spaces::powers_of_two("VWM", 1, 4), spaces::powers_of_two("VWN", 1, 4),
           spaces::integers("STRM", {0, 1}), spaces::integers("STRN", {0, 1}), spaces::integers("SA", {0, 1}),
           spaces::integers("SB", {0, 1})},
          spaces::constraints({"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
                               "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
                               "KWG % (MDIMC * NDIMC / MDIMA) == 0", "KWG % (MDIMC * NDIMC / NDIMB) == 0"}),
          746496,
          205216};
}

/// The same kernel in the form of Kernel Tuner's publications.
inline PublishedSpace gemm() {
  PublishedSpace space = spaces::cltune_gemm();
  space.name = "GEMM";
  for (model::Parameter& parameter : space.parameters) {
    if (parameter.name == "KWI") parameter = spaces::integers("KWI", {2});
    if (parameter.name == "VWM" || parameter.name == "VWN")
      parameter = spaces::powers_of_two(parameter.name, 1, 8);
  }
  space.constraints.push_back(
      spaces::constraints({"MWG != 128 || NWG != 128 || MDIMC != 8 || NDIMC != 8"}).front());
  space.cartesian = 663552;
  space.valid = 116928;
  return space;
}

inline PublishedSpace microhh() {
  PublishedSpace space{
      "MicroHH",
      {spaces::integers("BLOCK_SIZE_X", {1, 2, 4, 8, 16, 32, 128, 256, 512, 1024}),
       spaces::powers_of_two("BLOCK_SIZE_Y", 1, 32), spaces::powers_of_two("BLOCK_SIZE_Z", 1, 4),
       spaces::integers("STATIC_STRIDES", {0}), spaces::integers("TILING_STRATEGY", {0}),
       spaces::integers("REWRITE_INTERP", {0}), spaces::range("BLOCKS_PER_MP", 0, 4)},
      spaces::constraints({"BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z * BLOCKS_PER_MP <= 1024",
                           "BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z >= 32",
                           "BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z <= 1536"}),
      1166400,
      138600};
  for (const std::string axis : {"X", "Y", "Z"}) {
    const std::string tile = "TILING_FACTOR_" + axis;
    const std::string unroll = "LOOP_UNROLL_FACTOR_" + axis;
    space.parameters.push_back(spaces::powers_of_two(tile, 1, axis == "X" ? 8 : 4));
    space.parameters.push_back(spaces::powers_of_two(unroll, 1, axis == "X" ? 8 : 4));
    for (const model::Constraint& constraint :
         spaces::constraints({unroll + " == 0 || " + tile + " % " + unroll + " == 0",
                              "BLOCK_SIZE_" + axis + " * " + tile + " > 0"}))
      space.constraints.push_back(constraint);
  }
  return space;
}

/// Probabilistic record linkage over `size` x `size` inputs, in the form of ATF.
inline PublishedSpace record_linkage(std::int64_t size, std::uint64_t cartesian, std::uint64_t valid) {
  PublishedSpace space{
      "ATF PRL " + std::to_string(size) + "x" + std::to_string(size),
      {spaces::integers("CACHE_L_CB", {0, 1}), spaces::integers("CACHE_P_CB", {0, 1}),
       spaces::integers("G_CB_RES_DEST_LEVEL", {2}), spaces::integers("L_CB_RES_DEST_LEVEL", {2, 1, 0}),
       spaces::integers("P_CB_RES_DEST_LEVEL", {2, 1, 0}), spaces::integers("OCL_DIM_L_1", {0, 1}),
       spaces::integers("OCL_DIM_R_1", {0, 1}), spaces::integers("L_REDUCTION", {1}),
       spaces::integers("P_WRITE_BACK", {0}), spaces::integers("L_WRITE_BACK", {1})},
      spaces::constraints({"L_CB_RES_DEST_LEVEL <= G_CB_RES_DEST_LEVEL",
                           "P_CB_RES_DEST_LEVEL <= L_CB_RES_DEST_LEVEL", "OCL_DIM_L_1 != OCL_DIM_R_1"}),
      cartesian,
      valid};
  for (const std::string side : {"L_1", "R_1"}) {
    space.parameters.push_back(spaces::integers("INPUT_SIZE_" + side, {size}));
    for (const std::string name : {"L_CB_SIZE_", "P_CB_SIZE_", "NUM_WG_", "NUM_WI_"})
      space.parameters.push_back(spaces::range(name + side, 1, size));
    for (const model::Constraint& constraint : spaces::constraints(
             {"INPUT_SIZE_" + side + " % L_CB_SIZE_" + side + " == 0",
              "L_CB_SIZE_" + side + " % P_CB_SIZE_" + side + " == 0",
              "INPUT_SIZE_" + side + " / L_CB_SIZE_" + side + " % NUM_WG_" + side + " == 0",
              "L_CB_SIZE_" + side + " / P_CB_SIZE_" + side + " % NUM_WI_" + side + " == 0",
              "NUM_WI_" + side + " <= ceil_div(INPUT_SIZE_" + side + ", NUM_WG_" + side + ")"}))
      space.constraints.push_back(constraint);
  }
  space.constraints.push_back(
      spaces::constraints({"NUM_WG_R_1 == 1 || NUM_WG_R_1 % L_CB_SIZE_R_1 == 0"}).front());
  return space;
}

}  // namespace spaces

/// The eight real spaces of Willemsen, van Nieuwpoort, van Werkhoven, "Efficient Construction of Large Search
/// Spaces for Auto-Tuning" (2025). Together they have 971231 valid configurations.
inline std::vector<PublishedSpace> eight_published_spaces() {
  return {spaces::dedispersion(),
          spaces::expdist(),
          spaces::hotspot(),
          spaces::gemm(),
          spaces::microhh(),
          spaces::record_linkage(2, 36864, 1200),
          spaces::record_linkage(4, 9437184, 10800),
          spaces::record_linkage(8, 2415919104, 48720)};
}

}  // namespace warptune::bench
