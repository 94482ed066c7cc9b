#pragma once

// Elements, squares and tiles of transpose.cu: how squares are transposed in registers and where a tile's vectors lie
// in shared memory.

#include "memory_access.cuh"

// Elements are moved as bits, so that only their size matters.
using Element = WordOf<ELEMENT_BYTES>::Type;
constexpr int kWordBytes = VECTOR * ELEMENT_BYTES;
using Word = WordOf<kWordBytes>::Type;

#define BY_PERMUTATION \
  (ELEMENT_BYTES < 4 && VECTOR * ELEMENT_BYTES >= 4)  // elements narrower than the registers that hold them

union Pack {
  Word word;
  Element item[VECTOR];
#if BY_PERMUTATION
  unsigned part[kWordBytes / 4];
#endif
};

// A tile is a grid of squares of VECTOR x VECTOR elements.
constexpr int kSquaresX = TILE_X / VECTOR;
constexpr int kSquaresY = TILE_Y / VECTOR;
constexpr int kSquares = kSquaresX * kSquaresY / BLOCK;  // of one thread

#if RAGGED
// Where tile number `index` of a row or column of tiles begins. The last one ends with the matrix, if that is long
// enough.
template <int tile>
__device__ __forceinline__ long long last_tile_inside(unsigned index, long long length) {
  const long long begin = static_cast<long long>(index) * tile;
  return begin + tile <= length || length < tile ? begin : length - tile;
}
#endif

// Transposes a square: rows[r].item[c] becomes columns[c].item[r].
__device__ __forceinline__ void transpose_square(const Pack (&rows)[VECTOR], Pack (&columns)[VECTOR]) {
#if BY_PERMUTATION
  constexpr int kPer =
      4 / ELEMENT_BYTES;  // elements a register: blocks of kPer x kPer are transposed by byte permutations
#pragma unroll
  for (int r = 0; r < VECTOR / kPer; ++r) {
#pragma unroll
    for (int c = 0; c < VECTOR / kPer; ++c) {
#if ELEMENT_BYTES == 2
      const unsigned first = rows[2 * r].part[c];
      const unsigned second = rows[2 * r + 1].part[c];
      columns[2 * c].part[r] = __byte_perm(first, second, 0x5410);
      columns[2 * c + 1].part[r] = __byte_perm(first, second, 0x7632);
#else
      const unsigned low_01 = __byte_perm(rows[4 * r].part[c], rows[4 * r + 1].part[c], 0x5140);
      const unsigned high_01 = __byte_perm(rows[4 * r].part[c], rows[4 * r + 1].part[c], 0x7362);
      const unsigned low_23 = __byte_perm(rows[4 * r + 2].part[c], rows[4 * r + 3].part[c], 0x5140);
      const unsigned high_23 = __byte_perm(rows[4 * r + 2].part[c], rows[4 * r + 3].part[c], 0x7362);
      columns[4 * c].part[r] = __byte_perm(low_01, low_23, 0x5410);
      columns[4 * c + 1].part[r] = __byte_perm(low_01, low_23, 0x7632);
      columns[4 * c + 2].part[r] = __byte_perm(high_01, high_23, 0x5410);
      columns[4 * c + 3].part[r] = __byte_perm(high_01, high_23, 0x7632);
#endif
    }
  }
#else
#pragma unroll
  for (int r = 0; r < VECTOR; ++r) {
#pragma unroll
    for (int c = 0; c < VECTOR; ++c) columns[c].item[r] = rows[r].item[c];
  }
#endif
}

// Place of a vector in the tile, whose lines are `words` vectors long: columns of the input when it is transposed on
// the way in, rows when it comes by asynchronous copies. On one side the threads of a warp go along a line, on the
// other from line to line, VECTOR apart: padding or swizzling by line / VECTOR spreads both over the banks.
template <int words>
__device__ __forceinline__ int place(int line, int word) {
#if PADDED
  constexpr int kPadWords = kWordBytes >= 4 ? 1 : 4 / kWordBytes;  // at least one bank
  return line * words + line / VECTOR * kPadWords + word;
#elif SWIZZLED
  return line * words + (word ^ (line / VECTOR % words));
#else
  return line * words + word;
#endif
}

__device__ __forceinline__ const Word* word_at(const Element* element) {
  return reinterpret_cast<const Word*>(element);
}

#if BY_PERMUTATION
// A vector that is not aligned, from the aligned words of 4 bytes around it. Unless RAGGED, one more than it needs is
// read behind an aligned word.
__device__ __forceinline__ Word load_shifted(const Element* source) {
  const size_t address = reinterpret_cast<size_t>(source);
  const unsigned* words = reinterpret_cast<const unsigned*>(address / 4 * 4);
  const unsigned bits = static_cast<unsigned>(address % 4) * 8;
  Pack pack;
  unsigned low = __ldg(words);
#pragma unroll
  for (int i = 0; i < kWordBytes / 4; ++i) {
#if RAGGED
    const unsigned high = bits != 0 || i + 1 < kWordBytes / 4 ? __ldg(words + i + 1) : 0;
#else
    const unsigned high = __ldg(words + i + 1);
#endif
    pack.part[i] = __funnelshift_r(low, high, bits);
    low = high;
  }
  return pack.word;
}
#endif

__device__ __forceinline__ void store(Element* target, Word word) {
  store_word<StoreHint::STORE>(reinterpret_cast<Word*>(target), word);
}

#if USE_SHARED
#if LOAD_ASYNC
constexpr int kLineWords = kSquaresX;  // a line of the tile is a row of the input
#else
constexpr int kLineWords = kSquaresY;  // a line of the tile is a column of the input
#endif

// Place of one element in the tile.
__device__ __forceinline__ int element_place(int x, int y) {
#if LOAD_ASYNC
  return place<kLineWords>(y, x / VECTOR) * VECTOR + x % VECTOR;
#else
  return place<kLineWords>(x, y / VECTOR) * VECTOR + y % VECTOR;
#endif
}

#if BY_PERMUTATION
constexpr int kPerPart = 4 / ELEMENT_BYTES;
constexpr int kParts = TILE_Y / kPerPart;

// 4 bytes of column `x` of the tile.
__device__ __forceinline__ unsigned column_part(const Word* tile, int x, int part) {
#if LOAD_ASYNC
  const Element* elements = reinterpret_cast<const Element*>(tile);
  unsigned bits = 0;
#pragma unroll
  for (int j = 0; j < kPerPart; ++j) {
    bits |= static_cast<unsigned>(elements[element_place(x, part * kPerPart + j)]) << (j * ELEMENT_BYTES * 8);
  }
  return bits;
#else
  return reinterpret_cast<const unsigned*>(tile)[element_place(x, part * kPerPart) / kPerPart];
#endif
}

#if RAGGED
constexpr int kTileBytes = TILE_Y * ELEMENT_BYTES;  // of a row of the output

// 4 bytes of column `x` of the tile, from byte number `byte` on.
__device__ __forceinline__ unsigned column_bytes(const Word* tile, int x, int byte) {
  const int part = byte / 4;
  const int shift = byte % 4;
  return __funnelshift_r(column_part(tile, x, part), column_part(tile, x, shift != 0 ? part + 1 : part),
                         shift * 8);
}

// Writes the aligned 16 bytes of which a row of the output has all.
__device__ __forceinline__ void store_wide(Element* target, const Word* tile, long long rows) {
  constexpr int wides = kTileBytes / 16;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * wides; i += BLOCK) {
    const int x = i / wides;
    const size_t row = reinterpret_cast<size_t>(target + x * rows);
    const int byte = i % wides * 16 - static_cast<int>(row % 16);
    if (byte < 0) continue;
    const int part = byte / 4;
    const int shift = byte % 4;
    unsigned words[5];
#pragma unroll
    for (int j = 0; j < 5; ++j) words[j] = column_part(tile, x, j < 4 || shift != 0 ? part + j : part);
    const uint4 wide = {
        __funnelshift_r(words[0], words[1], shift * 8), __funnelshift_r(words[1], words[2], shift * 8),
        __funnelshift_r(words[2], words[3], shift * 8), __funnelshift_r(words[3], words[4], shift * 8)};
    store_word<StoreHint::STORE>(reinterpret_cast<uint4*>(row + byte), wide);
  }
}

// Writes the aligned words of 4 bytes before and behind those 16.
__device__ __forceinline__ void store_ends(Element* target, const Word* tile, long long rows) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * 4; i += BLOCK) {
    const int x = i / 4;
    const size_t row = reinterpret_cast<size_t>(target + x * rows);
    const int skew = static_cast<int>(row % 16);
    const int before = (16 - skew) / 4;  // words; all four words are before, if the row begins aligned
    const int index = i % 4;
    const int byte = index < before ? -skew & 3 : kTileBytes - skew - before * 4;
    if (skew == 0 || index >= before + skew / 4) continue;
    *reinterpret_cast<unsigned*>(row + byte + index * 4) = column_bytes(tile, x, byte + index * 4);
  }
}
#endif

// Writes a whole tile to rows of the output that do not start aligned: by aligned words, then what is left over at both
// ends of the rows, element by element: kPerPart of a row that is not aligned.
__device__ __forceinline__ void store_shifted(Element* target, const Word* tile, long long rows) {
#if RAGGED
  store_wide(target, tile, rows);
  store_ends(target, tile, rows);
#else
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * kParts; i += BLOCK) {
    const int x = i / kParts;
    const int part = i % kParts;
    const size_t row = reinterpret_cast<size_t>(target + x * rows);
    const unsigned skew = static_cast<unsigned>(row % 4);  // bytes of its first word that are before the row
    const unsigned low = column_part(tile, x, part > 0 ? part - 1 : 0);
    const unsigned high = column_part(tile, x, part);
    if (part > 0 || skew == 0)
      reinterpret_cast<unsigned*>(row - skew)[part] = __funnelshift_l(low, high, skew * 8);
  }
#endif
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * kPerPart; i += BLOCK) {
    const int x = i / kPerPart;
    const int element = i % kPerPart;
    Element* row = target + x * rows;
    const int skew = static_cast<int>(reinterpret_cast<size_t>(row) % 4) / ELEMENT_BYTES;
    const int y = element < kPerPart - skew ? element : TILE_Y - kPerPart + element;
    if (skew > 0) row[y] = reinterpret_cast<const Element*>(tile)[element_place(x, y)];
  }
}
#endif
#endif
