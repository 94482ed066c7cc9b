#pragma once

// What attracting bodies do to the bodies of a thread in nbody.cu, with the attracting ones from tiles in shared
// memory or from global memory.

// An attracting body. With FOLD_MASS the place is scaled by mass^-1/2, which is in `mass`, and `softening` is the
// square of the scaled one; without, `softening` is the same for all: its square.
struct Source {
  float x, y, z, mass, softening;
};

struct Vector {
  float x, y, z;
};

// Adds what an attracting body does to the thread's bodies. With phases each step is done for all bodies before the
// next: the register file gives two operands a clock, so that the third of an FMA should be one of the instruction
// before. Without, the assembler mixes the steps. A barrier of the warp, whose lanes are together anyway, is an
// instruction that no other crosses.
__device__ __forceinline__ void attract(Vector (&sums)[BODIES_PER_THREAD],
                                        const Vector (&places)[BODIES_PER_THREAD], const Source& source) {
  Vector distance[BODIES_PER_THREAD];
  float factor[BODIES_PER_THREAD];
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
#if FOLD_MASS
    distance[i].x = fmaf(-source.mass, places[i].x, source.x);
    distance[i].y = fmaf(-source.mass, places[i].y, source.y);
    distance[i].z = fmaf(-source.mass, places[i].z, source.z);
#else
    distance[i].x = source.x - places[i].x;
    distance[i].y = source.y - places[i].y;
    distance[i].z = source.z - places[i].z;
#endif
  }
#if PHASES > 1
  __syncwarp();
#endif
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    const Vector& d = distance[i];
    factor[i] = fmaf(d.x, d.x, fmaf(d.y, d.y, fmaf(d.z, d.z, source.softening)));
  }
#if PHASES > 2
  __syncwarp();
#endif
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    const float root = reciprocal_root(factor[i]);
#if FOLD_MASS
    const float scale = root * root * root;
#else
    const float scale = source.mass * root * (root * root);
#endif
    sums[i].x = fmaf(distance[i].x, scale, sums[i].x);
    sums[i].y = fmaf(distance[i].y, scale, sums[i].y);
    sums[i].z = fmaf(distance[i].z, scale, sums[i].z);
  }
}

#if USE_SHARED
constexpr int kLoads = (TILE + BLOCK - 1) / BLOCK;  // bodies of a tile that a thread loads
#if TILE_SOA || STAGES == 2
constexpr int kNumbers = FOLD_MASS ? 5 : 4;
#endif
constexpr int kGroup = TILE_SOA ? 4 : 1;  // attracting bodies that are read together

// Loads a thread's share of the tile at `first`. Past `last` are bodies without mass.
__device__ __forceinline__ void load_tile(float4 (&target)[kLoads], const float* __restrict__ bodies,
                                          long long first, long long last, long long n, bool aligned) {
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const long long index = first + static_cast<int>(threadIdx.x) + i * BLOCK;
    target[i] = float4{0.0f, 0.0f, 0.0f, 0.0f};
    if (index < last) target[i] = load_particle(bodies, index, n, aligned);
  }
}

__device__ __forceinline__ void store_tile(float* tile, const float4 (&source)[kLoads],
                                           float softening_squared) {
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int at = static_cast<int>(threadIdx.x) + i * BLOCK;
    float4 body = source[i];
    if (TILE % BLOCK != 0 && at >= TILE) break;
#if FOLD_MASS
    // A body without mass attracts by 0 d^-3: of a scale of 0 and any distance but 0.
    const float scale = body.w > 0.0f ? rsqrtf(body.w) : 0.0f;
    body = float4{body.x * scale, body.y * scale, body.z * scale, scale};
    tile[4 * TILE + at] = body.w > 0.0f ? softening_squared * scale * scale : 1.0f;
#endif
#if TILE_SOA
    tile[at] = body.x;
    tile[TILE + at] = body.y;
    tile[2 * TILE + at] = body.z;
    tile[3 * TILE + at] = body.w;
#else
    reinterpret_cast<float4*>(tile)[at] = body;
#endif
  }
}

__device__ __forceinline__ void read_group(Source (&sources)[kGroup], const float* tile, int at,
                                           float softening_squared) {
#if TILE_SOA
  float numbers[kNumbers][4];
#pragma unroll
  for (int number = 0; number < kNumbers; ++number) {
    const float4 word = *reinterpret_cast<const float4*>(tile + number * TILE + at);
    numbers[number][0] = word.x, numbers[number][1] = word.y, numbers[number][2] = word.z,
    numbers[number][3] = word.w;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float softening = FOLD_MASS ? numbers[kNumbers - 1][i] : softening_squared;
    sources[i] = {numbers[0][i], numbers[1][i], numbers[2][i], numbers[3][i], softening};
  }
#else
  const float4 word = reinterpret_cast<const float4*>(tile)[at];
  sources[0] = {word.x, word.y, word.z, word.w, FOLD_MASS ? tile[4 * TILE + at] : softening_squared};
#endif
}

// Adds what the bodies `first` to `last` do to the thread's sums, its part's share of them.
__device__ __forceinline__ void attract_all(Vector (&sums)[BODIES_PER_THREAD],
                                            const Vector (&places)[BODIES_PER_THREAD], float* shared,
                                            const float* __restrict__ bodies, long long first, long long last,
                                            long long n, float softening_squared, int part) {
  const bool aligned = reinterpret_cast<size_t>(bodies) % 16 == 0;
  float4 next[kLoads];
  load_tile(next, bodies, first, last, n, aligned);
  float* tile = shared;
#pragma unroll 1
  for (; first < last; first += TILE) {
    store_tile(tile, next, softening_squared);
    __syncthreads();
    load_tile(next, bodies, first + TILE, last, n, aligned);
    const int count = static_cast<int>(first + TILE <= last ? TILE : last - first);
#pragma unroll 1
    for (int at = part * UNROLL; at < count; at += BLOCK_SPLIT * UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; i += kGroup) {
        Source sources[kGroup];
        read_group(sources, tile, at + i, softening_squared);
#pragma unroll
        for (int j = 0; j < kGroup; ++j) attract(sums, places, sources[j]);
      }
    }
#if STAGES == 2
    tile = tile == shared ? shared + kNumbers * TILE : shared;
#else
    __syncthreads();
#endif
  }
}
#else
__device__ __forceinline__ void attract_one(Vector (&sums)[BODIES_PER_THREAD],
                                            const Vector (&places)[BODIES_PER_THREAD], const float4& body,
                                            float softening_squared) {
  attract(sums, places, {body.x, body.y, body.z, body.w, softening_squared});
}

// As above. All threads of a part read the same body at a time.
__device__ __forceinline__ void attract_all(Vector (&sums)[BODIES_PER_THREAD],
                                            const Vector (&places)[BODIES_PER_THREAD], float*,
                                            const float* __restrict__ bodies, long long first, long long last,
                                            long long n, float softening_squared, int part) {
  first += part * UNROLL;
#if IS_AOS
  if (reinterpret_cast<size_t>(bodies) % 16 == 0) {
#pragma unroll 1
    for (; first + UNROLL <= last; first += BLOCK_SPLIT * UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; ++i)
        attract_one(sums, places, load_particle(bodies, first + i, n, true), softening_squared);
    }
  }
#elif UNROLL % 4 == 0
  if (reinterpret_cast<size_t>(bodies) % 16 == 0 && n % 4 == 0) {  // `first` is a multiple of 4
#pragma unroll 1
    for (; first + UNROLL <= last; first += BLOCK_SPLIT * UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; i += 4) {
        const float4 x = __ldg(reinterpret_cast<const float4*>(bodies + first + i));
        const float4 y = __ldg(reinterpret_cast<const float4*>(bodies + n + first + i));
        const float4 z = __ldg(reinterpret_cast<const float4*>(bodies + 2 * n + first + i));
        const float4 mass = __ldg(reinterpret_cast<const float4*>(bodies + 3 * n + first + i));
        attract_one(sums, places, float4{x.x, y.x, z.x, mass.x}, softening_squared);
        attract_one(sums, places, float4{x.y, y.y, z.y, mass.y}, softening_squared);
        attract_one(sums, places, float4{x.z, y.z, z.z, mass.z}, softening_squared);
        attract_one(sums, places, float4{x.w, y.w, z.w, mass.w}, softening_squared);
      }
    }
  }
#endif
#pragma unroll 1
  for (; first < last; first += BLOCK_SPLIT * UNROLL) {
    const long long end = first + UNROLL < last ? first + UNROLL : last;
#pragma unroll 1
    for (long long i = first; i < end; ++i)
      attract_one(sums, places, load_particle(bodies, i, n, false), softening_squared);
  }
}
#endif
