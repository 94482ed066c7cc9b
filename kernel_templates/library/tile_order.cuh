#pragma once

// The order in which the blocks of a grid take the tiles of a matrix.

struct TilePosition {
  unsigned row, column;  // in tiles
};

// The tiles of `tile_size` elements that cover `size` elements.
__device__ __forceinline__ unsigned tile_count(long long size, int tile_size) {
  return static_cast<unsigned>((size + tile_size - 1) / tile_size);
}

// The tile number `index` where tiles are taken group by group: a group is `group_rows` rows of tiles (fewer in the
// last one), and its tiles are taken column by column. Blocks that run at the same time then share rows and columns
// of their operands in L2.
template <int group_rows>
__device__ __forceinline__ TilePosition grouped_tile(unsigned index, unsigned tile_rows,
                                                     unsigned tile_columns) {
  const unsigned group = index / (group_rows * tile_columns);
  const unsigned in_group = index % (group_rows * tile_columns);
  const unsigned rows_left = tile_rows - group * group_rows;
  const unsigned rows = rows_left < group_rows ? rows_left : group_rows;
  return {group * group_rows + in_group % rows, in_group / rows};
}
