// The variant "wgmma" of gemm_tc.cu: compute capability 9.0 alone (sm_90a).
//
// A block is one producer warpgroup, of which one thread keeps a ring of STAGES tiles in shared memory filled by the
// tensor memory accelerator, and CONSUMER_WARPGROUPS warpgroups that multiply. Blocks are persistent: while the
// consumers write a tile of C, the producer fills the ring for the next one. With the schedule "pingpong" the
// consumers take whole tiles in turn, so that one multiplies while the other writes; with "cooperative" they share
// the rows of each tile. The blocks of a cluster hand each other the parts of A and B that they share.

#if IS_BF16
#include <cuda_bf16.h>
#elif IS_F16
#include <cuda_fp16.h>
#endif

#include "gemm_tc_async.cuh"

constexpr int kElement = static_cast<int>(sizeof(dtype));
constexpr int kRow = 128 / kElement;    // elements of the 128 bytes that are swizzled together
constexpr int kStep = 32 / kElement;    // of K, that one instruction multiplies
constexpr int kParts = BLOCK_K / kRow;  // of a tile along K
constexpr int kBytesA = BLOCK_M * BLOCK_K * kElement;
constexpr int kBytesB = BLOCK_N * BLOCK_K * kElement;
constexpr int kStage = kBytesA + kBytesB;

constexpr int kCluster = CLUSTER_M * CLUSTER_N;
constexpr int kSharers =
    CLUSTER_M + CLUSTER_N - 1;  // blocks that share A or B with a block, itself among them
constexpr int kTeams = PINGPONG ? CONSUMER_WARPGROUPS : 1;  // consumers of a team work on one tile
constexpr int kRowsEach = PINGPONG ? BLOCK_M : BLOCK_M / CONSUMER_WARPGROUPS;
constexpr int kTilesEach = kRowsEach / 64;
constexpr int kSums = BLOCK_N / 2;  // of a thread for 64 rows
constexpr int kWarpsOfTile = PINGPONG ? 4 : 4 * CONSUMER_WARPGROUPS;

// Registers of a thread: what a block may have, less what the producer keeps, goes to the consumers.
constexpr int kThreads = 128 * (CONSUMER_WARPGROUPS + 1);
constexpr int kAtStart = 65536 / (kThreads * BLOCKS_PER_SM) / 8 * 8;
constexpr int kProducerRegisters = CONSUMER_WARPGROUPS == 3 ? 32 : kTilesEach * kSums > 192 ? 24 : 40;
constexpr int kFree =
    (kAtStart * (CONSUMER_WARPGROUPS + 1) - kProducerRegisters) / CONSUMER_WARPGROUPS / 8 * 8;
[[maybe_unused]] constexpr int kConsumerRegisters = kFree < 240 ? kFree : 240;

// C leaves through shared memory in pieces of 64 rows by as many columns as are swizzled together: 128, 64 or 32 bytes.
constexpr int kPieceBytes = BLOCK_N * kElement % 128 == 0 ? 128 : BLOCK_N * kElement % 64 == 0 ? 64 : 32;
[[maybe_unused]] constexpr int kPiece = kPieceBytes / kElement;
[[maybe_unused]] constexpr int kPieceShift = kPieceBytes == 128 ? 0 : kPieceBytes == 64 ? 1 : 2;
constexpr int kPieceBuffer = 64 * kPieceBytes;
constexpr int kOutBytes = STAGED ? CONSUMER_WARPGROUPS * 2 * kPieceBuffer : 0;

#if IS_BF16
#define OPERAND_TYPE ".bf16.bf16"
#define OPERAND_DEPTH "k16"
#elif IS_F16
#define OPERAND_TYPE ".f16.f16"
#define OPERAND_DEPTH "k16"
#else
#define OPERAND_TYPE ".tf32.tf32"
#define OPERAND_DEPTH "k8"
#endif
#if IS_BF16 || IS_F16
#if B_IS_KN
#define TRANSPOSED ", 0, 1"
#else
#define TRANSPOSED ", 0, 0"
#endif
#else
#define TRANSPOSED ""
#endif

// The names of the sums in the instruction's text, and of the three operands behind them.
#define TEXT_32                                                                                             \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%" \
  "28,%29,%30,%31"
#define TEXT_40 TEXT_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define TEXT_48 TEXT_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define TEXT_56 TEXT_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define TEXT_64 TEXT_56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define TEXT_72 TEXT_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define TEXT_80 TEXT_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define TEXT_88 TEXT_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define TEXT_96 TEXT_88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define TEXT_104 TEXT_96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define TEXT_112 TEXT_104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define TEXT_120 TEXT_112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define TEXT_128 TEXT_120 ",%120,%121,%122,%123,%124,%125,%126,%127"
#define SUMS_8(i)                                                                            \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_32 SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24)
#define SUMS_40 SUMS_32, SUMS_8(32)
#define SUMS_48 SUMS_40, SUMS_8(40)
#define SUMS_56 SUMS_48, SUMS_8(48)
#define SUMS_64 SUMS_56, SUMS_8(56)
#define SUMS_72 SUMS_64, SUMS_8(64)
#define SUMS_80 SUMS_72, SUMS_8(72)
#define SUMS_88 SUMS_80, SUMS_8(80)
#define SUMS_96 SUMS_88, SUMS_8(88)
#define SUMS_104 SUMS_96, SUMS_8(96)
#define SUMS_112 SUMS_104, SUMS_8(104)
#define SUMS_120 SUMS_112, SUMS_8(112)
#define SUMS_128 SUMS_120, SUMS_8(120)
#define WGMMA(columns, text, operand_a, operand_b, flag)                                                \
  "{ .reg .pred p; setp.ne.b32 p, " flag ", 0; wgmma.mma_async.sync.aligned.m64n" columns OPERAND_DEPTH \
  ".f32" OPERAND_TYPE " {" text "}, " operand_a ", " operand_b ", p, 1, 1" TRANSPOSED "; }"
#if BLOCK_N == 64
#define WGMMA_TEXT WGMMA("64", TEXT_32, "%32", "%33", "%34")
#define WGMMA_SUMS SUMS_32
#elif BLOCK_N == 80
#define WGMMA_TEXT WGMMA("80", TEXT_40, "%40", "%41", "%42")
#define WGMMA_SUMS SUMS_40
#elif BLOCK_N == 96
#define WGMMA_TEXT WGMMA("96", TEXT_48, "%48", "%49", "%50")
#define WGMMA_SUMS SUMS_48
#elif BLOCK_N == 112
#define WGMMA_TEXT WGMMA("112", TEXT_56, "%56", "%57", "%58")
#define WGMMA_SUMS SUMS_56
#elif BLOCK_N == 128
#define WGMMA_TEXT WGMMA("128", TEXT_64, "%64", "%65", "%66")
#define WGMMA_SUMS SUMS_64
#elif BLOCK_N == 144
#define WGMMA_TEXT WGMMA("144", TEXT_72, "%72", "%73", "%74")
#define WGMMA_SUMS SUMS_72
#elif BLOCK_N == 160
#define WGMMA_TEXT WGMMA("160", TEXT_80, "%80", "%81", "%82")
#define WGMMA_SUMS SUMS_80
#elif BLOCK_N == 176
#define WGMMA_TEXT WGMMA("176", TEXT_88, "%88", "%89", "%90")
#define WGMMA_SUMS SUMS_88
#elif BLOCK_N == 192
#define WGMMA_TEXT WGMMA("192", TEXT_96, "%96", "%97", "%98")
#define WGMMA_SUMS SUMS_96
#elif BLOCK_N == 208
#define WGMMA_TEXT WGMMA("208", TEXT_104, "%104", "%105", "%106")
#define WGMMA_SUMS SUMS_104
#elif BLOCK_N == 224
#define WGMMA_TEXT WGMMA("224", TEXT_112, "%112", "%113", "%114")
#define WGMMA_SUMS SUMS_112
#elif BLOCK_N == 240
#define WGMMA_TEXT WGMMA("240", TEXT_120, "%120", "%121", "%122")
#define WGMMA_SUMS SUMS_120
#else
#define WGMMA_TEXT WGMMA("256", TEXT_128, "%128", "%129", "%130")
#define WGMMA_SUMS SUMS_128
#endif

// Adds the product of 64 rows of A by BLOCK_N columns of B over one step along K; without `add` it is stored instead.
__device__ __forceinline__ void multiply(float (&sums)[kSums], unsigned long long a, unsigned long long b,
                                         int add) {
  asm volatile(WGMMA_TEXT:WGMMA_SUMS : "l"(a), "l"(b), "r"(add));
}

// Keeps the compiler from using the sums before the instructions that write them have been waited for.
__device__ __forceinline__ void fence_sums(float (&sums)[kTilesEach][kSums]) {
#pragma unroll
  for (int i = 0; i < kTilesEach; ++i) {
#pragma unroll
    for (int j = 0; j < kSums; ++j) asm volatile("" : "+f"(sums[i][j])::"memory");
  }
}

// What an instruction is told of an operand in shared memory: where it begins and, in bytes, how far apart its parts
// are; all in units of 16 bytes. 1 << 62: 128 bytes are swizzled together.
__device__ __forceinline__ unsigned long long describe(Address start, int leading, int stride) {
  return (static_cast<unsigned long long>(start & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | 1ull << 62;
}

__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ void store_box(const TensorMap& map, int x, int y, Address from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], "
      "[%3];\ncp.async.bulk.commit_group;" ::"l"(reinterpret_cast<unsigned long long>(&map)),
      "r"(x), "r"(y), "r"(from)
      : "memory");
}

__device__ __forceinline__ void warpgroup_barrier(int consumer) {
  asm volatile("bar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
}

// Two neighbours of C, as they are stored.
union Pair {
  dtype item[2];
#if IS_TF32
  float2 word;
#else
  unsigned word;
#endif
};

__device__ __forceinline__ Pair pack(float low, float high) {
  Pair pair;
#if IS_BF16
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair.word) : "f"(high), "f"(low));
#elif IS_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair.word) : "f"(high), "f"(low));
#else
  pair.word = {low, high};
#endif
  return pair;
}

__global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    gemm_tc(const dtype* __restrict__ a, const dtype* __restrict__ b, dtype* __restrict__ c,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
            const __grid_constant__ TensorMap c_map, long long m, long long n, long long k, float alpha,
            float beta) {
  extern __shared__ char shared_bytes[];
  const Address base = (static_cast<Address>(__cvta_generic_to_shared(shared_bytes)) + 1023) & ~1023u;
  const Address out = base + STAGES * kStage;
  const Address full = out + kOutBytes;  // barriers: a stage has been filled, a stage may be filled again
  const Address empty = full + STAGES * 8;
  [[maybe_unused]] const Address turn_of = empty + STAGES * 8;  // a consumer may begin its tile

  const int group = static_cast<int>(threadIdx.x) / 128;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if CLUSTER_M * CLUSTER_N > 1
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#else
  const unsigned rank = 0;
#endif
  const int block_m = static_cast<int>(rank) % CLUSTER_M;
  const int block_n = static_cast<int>(rank) / CLUSTER_M;
  const int clusters = static_cast<int>(gridDim.x) / kCluster;
  const int first = static_cast<int>(blockIdx.x) / kCluster;
  const Tiles tiles(m, n);
  const int tile_count = tiles.count();
  const int turns = static_cast<int>((k + BLOCK_K - 1) / BLOCK_K);

  // The thread that loads, 0, finds the first tile while another one makes the barriers.
  int row = 0;
  int column = 0;
  if (threadIdx.x < 32) {
    tiles.find(first, block_m, block_n, row, column);
    asm volatile("" : "+r"(row), "+r"(column));  // here, not where they are used
  } else if (threadIdx.x == 32) {
    asm volatile("prefetch.tensormap [%0];\nprefetch.tensormap [%1];" ::"l"(&a_map), "l"(&b_map) : "memory");
    for (int i = 0; i < STAGES; ++i) {
      barrier_init(full + i * 8, 1);
      barrier_init(empty + i * 8, kWarpsOfTile * kSharers);
    }
    for (int i = 0; i < 2; ++i) barrier_init(turn_of + i * 8, 4);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  if (kCluster > 1) {
    cluster_barrier();
  } else {
    __syncthreads();
  }

  if (group == 0) {
#if CONSUMER_WARPGROUPS * BLOCKS_PER_SM > 1
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kProducerRegisters));
#endif
    if (threadIdx.x == 0) {
      const int mask_a = ((1 << CLUSTER_M * CLUSTER_N) - 1) / ((1 << CLUSTER_M) - 1) << block_m;
      const int mask_b = ((1 << CLUSTER_M) - 1) << block_n * CLUSTER_M;
      Place place;
      for (int tile = first; tile < tile_count; tile += clusters) {
        if (tile != first) tiles.find(tile, block_m, block_n, row, column);
        for (int turn = 0; turn < turns; ++turn) {
          barrier_wait(empty + place.stage * 8, place.parity ^ 1);
          const Address ready = full + place.stage * 8;
          barrier_expect(ready, kStage);
          const int depth = turn * BLOCK_K;
          constexpr int rows_a = BLOCK_M / CLUSTER_N;
          const Address to_a = base + place.stage * kStage + block_n * rows_a * 128;
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            load_box(to_a + part * BLOCK_M * 128, a_map, depth + part * kRow, row + block_n * rows_a, ready,
                     CLUSTER_N, mask_a);
          }
#if B_IS_KN
          constexpr int rows_b = BLOCK_K / CLUSTER_M;
          const Address to_b = base + place.stage * kStage + kBytesA + block_m * rows_b * 128;
#pragma unroll
          for (int part = 0; part < BLOCK_N / kRow; ++part) {
            load_box(to_b + part * BLOCK_K * 128, b_map, column + part * kRow, depth + block_m * rows_b,
                     ready, CLUSTER_M, mask_b);
          }
#else
          constexpr int rows_b = BLOCK_N / CLUSTER_M;
          const Address to_b = base + place.stage * kStage + kBytesA + block_m * rows_b * 128;
#pragma unroll
          for (int part = 0; part < kParts; ++part) {
            load_box(to_b + part * BLOCK_N * 128, b_map, depth + part * kRow, column + block_m * rows_b,
                     ready, CLUSTER_M, mask_b);
          }
#endif
          place.next();
        }
      }
    }
  } else {
#if CONSUMER_WARPGROUPS * BLOCKS_PER_SM > 1
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kConsumerRegisters));
#endif
    const int consumer = group - 1;
    const int team = PINGPONG ? consumer : 0;
    const int row_in_tile = PINGPONG ? 0 : consumer * kRowsEach;
    const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
    // Of the blocks that share with this one, lane i of each warp tells the i-th that a stage is free.
    const int sharer = lane < CLUSTER_M
                           ? lane + block_n * CLUSTER_M
                           : block_m + (lane - CLUSTER_M + (lane - CLUSTER_M >= block_n)) * CLUSTER_M;
    [[maybe_unused]] int pieces = 0;
    [[maybe_unused]] int round = 0;
    Place place;
    place.skip(team * turns);
    for (int tile = first + team * clusters; tile < tile_count; tile += kTeams * clusters) {
      tiles.find(tile, block_m, block_n, row, column);
      row += row_in_tile;
      float sums[kTilesEach][kSums];
      int add = 0;
      int last = 0;
#if PINGPONG
      // Not before the other consumer has seen all of its stages filled: a barrier tells the filling that is waited
      // for from the one before it alone, not from earlier ones.
      barrier_wait(turn_of + team * 8, (round + team + 1) & 1);
      ++round;
#endif
#pragma unroll 1
      for (int turn = 0; turn < turns; ++turn) {
        barrier_wait(full + place.stage * 8, place.parity);
        const Address tile_a = base + place.stage * kStage + row_in_tile * 128;
        const Address tile_b = base + place.stage * kStage + kBytesA;
        const unsigned long long from_a = describe(tile_a, 16, 1024);
        const unsigned long long from_b = describe(tile_b, B_IS_KN ? BLOCK_K * 128 : 16, 1024);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < BLOCK_K / kStep; ++step) {
          const int part = step / 4;  // an instruction takes 32 of the 128 bytes
          const int at_b = B_IS_KN ? step * kStep * 128 : part * BLOCK_N * 128 + step % 4 * 32;
#pragma unroll
          for (int i = 0; i < kTilesEach; ++i) {
            const int at_a = part * BLOCK_M * 128 + i * 64 * 128 + step % 4 * 32;
            multiply(sums[i], from_a + (at_a >> 4), from_b + (at_b >> 4), add);
          }
          add = 1;
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (turn > 0 && lane < kSharers) barrier_arrive(empty + last * 8, sharer);
        last = place.stage;
        place.next();
      }
#if PINGPONG
      if (lane == 0) barrier_arrive(turn_of + (team ^ 1) * 8, static_cast<int>(rank));
#endif
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      fence_sums(sums);
      if (lane < kSharers) barrier_arrive(empty + last * 8, sharer);
      place.skip((kTeams - 1) * turns);

#if STAGED
      if (beta == 0.0f) {
        const Address buffers = out + consumer * 2 * kPieceBuffer;
#pragma unroll
        for (int i = 0; i < kTilesEach; ++i) {
#pragma unroll
          for (int piece = 0; piece < BLOCK_N / kPiece; ++piece) {
            const Address buffer = buffers + (pieces & 1) * kPieceBuffer;
#if IS_TF32
            const int in_row = warp * 16 + lane / 4;
#pragma unroll
            for (int j = 0; j < kPiece / 8; ++j) {
              const float* from = sums[i] + (piece * (kPiece / 8) + j) * 4;
#pragma unroll
              for (int half = 0; half < 2; ++half) {
                const int at = in_row + half * 8;
                const int word = (j * 2 + lane % 4 / 2) ^ (at >> kPieceShift & (kPieceBytes / 16 - 1));
                asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(buffer + at * kPieceBytes + word * 16 +
                                                                      lane % 2 * 8),
                             "f"(alpha * from[half * 2]), "f"(alpha * from[half * 2 + 1])
                             : "memory");
              }
            }
#else
            const int in_row = warp * 16 + lane % 16;
            const int swizzle = in_row >> kPieceShift & (kPieceBytes / 16 - 1);
#pragma unroll
            for (int j = 0; j < kPiece / 8; j += 2) {
              const float* from = sums[i] + (piece * (kPiece / 8) + j) * 4;
              asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                               buffer + in_row * kPieceBytes + ((j + lane / 16) ^ swizzle) * 16),
                           "r"(pack(alpha * from[0], alpha * from[1]).word),
                           "r"(pack(alpha * from[2], alpha * from[3]).word),
                           "r"(pack(alpha * from[4], alpha * from[5]).word),
                           "r"(pack(alpha * from[6], alpha * from[7]).word)
                           : "memory");
            }
#endif
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            // The thread that stores has seen the other buffer's store read it all before anyone goes past the barrier.
            if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            warpgroup_barrier(consumer);
            if (threadIdx.x % 128 == 0) store_box(c_map, column + piece * kPiece, row + i * 64, buffer);
            ++pieces;
          }
        }
        continue;
      }
#else
      if (beta == 0.0f && n % 2 == 0 && reinterpret_cast<size_t>(c) % (2 * kElement) == 0) {
#pragma unroll
        for (int i = 0; i < kTilesEach; ++i) {
          const long long at_row = row + i * 64 + warp * 16 + lane / 4;
          const long long at_column = column + lane % 4 * 2;
          const int rows = static_cast<int>(m - at_row < 64 ? m - at_row : 64);
          const int columns = static_cast<int>(n - at_column < BLOCK_N ? n - at_column : BLOCK_N);
          dtype* to = c + at_row * n + at_column;
#pragma unroll
          for (int j = 0; j < kSums; j += 2) {
            const int down = j % 4 / 2 * 8;
            const int across = j / 4 * 8;
            const bool exists = down < rows && across < columns;
#if IS_TF32
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%0], {%1, %2}; }" ::"l"(
                             to + down * n + across),
                         "f"(alpha * sums[i][j]), "f"(alpha * sums[i][j + 1]), "r"(static_cast<int>(exists))
                         : "memory");
#else
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%0], %1; }" ::"l"(
                             to + down * n + across),
                         "r"(pack(alpha * sums[i][j], alpha * sums[i][j + 1]).word),
                         "r"(static_cast<int>(exists))
                         : "memory");
#endif
          }
        }
        continue;
      }
#endif
      // Any beta and any alignment: loops over sums in local memory, because unrolled for all the sums they take the
      // compiler too long.
      float kept[kTilesEach * kSums];
#pragma unroll
      for (int i = 0; i < kTilesEach * kSums; ++i) kept[i] = sums[i / kSums][i % kSums];
      row += warp * 16 + lane / 4;
      column += lane % 4 * 2;
      const bool by_pairs = n % 2 == 0 && reinterpret_cast<size_t>(c) % (2 * kElement) == 0;
#pragma unroll 4
      for (int i = 0; i < kTilesEach * kSums; i += 2) {
        const long long at_row = row + i / kSums * 64 + i % 4 / 2 * 8;
        const long long at_column = column + i % kSums / 4 * 8;
        dtype* to = c + at_row * n + at_column;
        if (by_pairs && at_row < m && at_column < n) {
          float low = alpha * kept[i];
          float high = alpha * kept[i + 1];
          if (beta != 0.0f) {
            const Pair old = *reinterpret_cast<const Pair*>(to);
            low += beta * static_cast<float>(old.item[0]);
            high += beta * static_cast<float>(old.item[1]);
          }
          *reinterpret_cast<Pair*>(to) = pack(low, high);
        }
      }
#pragma unroll 1
      for (int i = 0; i < kTilesEach * kSums && !by_pairs; ++i) {
        const long long at_row = row + i / kSums * 64 + i % 4 / 2 * 8;
        const long long at_column = column + i % kSums / 4 * 8 + i % 2;
        if (at_row >= m || at_column >= n) continue;
        dtype* to = c + at_row * n + at_column;
        float value = alpha * kept[i];
        if (beta != 0.0f) value += beta * static_cast<float>(*to);
        *to = static_cast<dtype>(value);
      }
    }
#if STAGED
    if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  }
  // A block stays until the others of its cluster have no more to send to it.
  if (kCluster > 1) cluster_barrier();
}
