#pragma once

// The instruction wgmma.mma_async for 64 rows of A and BLOCK_N columns of B, both in shared memory: its sums are
// operands one by one, so that its text depends on BLOCK_N.

#include "tensor_map.cuh"

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
#define B_TRANSPOSED ", 0, 1"
#else
#define B_TRANSPOSED ", 0, 0"
#endif
#else
#define B_TRANSPOSED ""
#endif

// The names of the sums in the text of the instruction, and the sums as its operands. The numbers behind them name its
// other three operands.
#define SUM_NAMES_32                                                                                        \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%" \
  "28,%29,%30,%31"
#define SUM_NAMES_40 SUM_NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define SUM_NAMES_48 SUM_NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define SUM_NAMES_56 SUM_NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define SUM_NAMES_64 SUM_NAMES_56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define SUM_NAMES_72 SUM_NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define SUM_NAMES_80 SUM_NAMES_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define SUM_NAMES_88 SUM_NAMES_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define SUM_NAMES_96 SUM_NAMES_88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define SUM_NAMES_104 SUM_NAMES_96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define SUM_NAMES_112 SUM_NAMES_104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define SUM_NAMES_120 SUM_NAMES_112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define SUM_NAMES_128 SUM_NAMES_120 ",%120,%121,%122,%123,%124,%125,%126,%127"
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
  ".f32" OPERAND_TYPE " {" text "}, " operand_a ", " operand_b ", p, 1, 1" B_TRANSPOSED "; }"
#if BLOCK_N == 64
#define WGMMA_TEXT WGMMA("64", SUM_NAMES_32, "%32", "%33", "%34")
#define WGMMA_SUMS SUMS_32
#elif BLOCK_N == 80
#define WGMMA_TEXT WGMMA("80", SUM_NAMES_40, "%40", "%41", "%42")
#define WGMMA_SUMS SUMS_40
#elif BLOCK_N == 96
#define WGMMA_TEXT WGMMA("96", SUM_NAMES_48, "%48", "%49", "%50")
#define WGMMA_SUMS SUMS_48
#elif BLOCK_N == 112
#define WGMMA_TEXT WGMMA("112", SUM_NAMES_56, "%56", "%57", "%58")
#define WGMMA_SUMS SUMS_56
#elif BLOCK_N == 128
#define WGMMA_TEXT WGMMA("128", SUM_NAMES_64, "%64", "%65", "%66")
#define WGMMA_SUMS SUMS_64
#elif BLOCK_N == 144
#define WGMMA_TEXT WGMMA("144", SUM_NAMES_72, "%72", "%73", "%74")
#define WGMMA_SUMS SUMS_72
#elif BLOCK_N == 160
#define WGMMA_TEXT WGMMA("160", SUM_NAMES_80, "%80", "%81", "%82")
#define WGMMA_SUMS SUMS_80
#elif BLOCK_N == 176
#define WGMMA_TEXT WGMMA("176", SUM_NAMES_88, "%88", "%89", "%90")
#define WGMMA_SUMS SUMS_88
#elif BLOCK_N == 192
#define WGMMA_TEXT WGMMA("192", SUM_NAMES_96, "%96", "%97", "%98")
#define WGMMA_SUMS SUMS_96
#elif BLOCK_N == 208
#define WGMMA_TEXT WGMMA("208", SUM_NAMES_104, "%104", "%105", "%106")
#define WGMMA_SUMS SUMS_104
#elif BLOCK_N == 224
#define WGMMA_TEXT WGMMA("224", SUM_NAMES_112, "%112", "%113", "%114")
#define WGMMA_SUMS SUMS_112
#elif BLOCK_N == 240
#define WGMMA_TEXT WGMMA("240", SUM_NAMES_120, "%120", "%121", "%122")
#define WGMMA_SUMS SUMS_120
#else
#define WGMMA_TEXT WGMMA("256", SUM_NAMES_128, "%128", "%129", "%130")
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

// The descriptor of an operand in shared memory: its address and the leading and stride byte offsets of its parts,
// all in units of 16 bytes. 1 << 62 stands for the 128-byte swizzle.
__device__ __forceinline__ unsigned long long matrix_descriptor(Address start, int leading, int stride) {
  return (static_cast<unsigned long long>(start & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | 1ull << 62;
}
