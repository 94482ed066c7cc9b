#!/usr/bin/env python3
"""Kernels of Python libraries for `warptune survey --capture`: python_kernels.py MODE.

Each mode launches a kernel often and checks its results. It ends with exit code 1 if they are wrong, and with 3 if the library is missing.

    cupy_raw     `scaled` is a RawKernel of CuPy, which compiles it with NVRTC
    cupy         an elementwise kernel that CuPy writes itself: its name begins with `cupy_multiply`
    triton       `summed` is compiled by Triton
    torch        an elementwise kernel of PyTorch's library: its name contains `MulFunctor`
"""

import importlib
import sys

try:
    import triton.language as language
    from triton import jit
except ImportError:
    language = None

COUNT = 1 << 20
LAUNCHES = 50


def cupy_raw(cupy):
    scaled = cupy.RawKernel("""extern "C" __global__ void scaled(const float* from, float* to, float factor, int count) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) to[i] = factor * from[i];
    }""", "scaled")
    source = cupy.arange(COUNT, dtype=cupy.float32)
    target = cupy.zeros_like(source)
    for _ in range(LAUNCHES):
        scaled((COUNT // 256,), (256,), (source, target, cupy.float32(2.0), cupy.int32(COUNT)))
    return bool((target == 2.0 * source).all())


def cupy(module):
    source = module.arange(COUNT, dtype=module.float32)
    target = module.zeros_like(source)
    for _ in range(LAUNCHES):
        module.multiply(source, source, out=target)
    return bool(target[1000] == 1e6)


if language:
    @jit
    def summed(left, right, target, block: language.constexpr):
        offsets = language.program_id(0) * block + language.arange(0, block)
        language.store(target + offsets, language.load(left + offsets) + language.load(right + offsets))


def triton(_):
    torch = importlib.import_module("torch")
    left = torch.arange(COUNT, dtype=torch.float32, device="cuda")
    right = torch.ones_like(left)
    target = torch.zeros_like(left)
    for _ in range(LAUNCHES):
        summed[(COUNT // 1024,)](left, right, target, 1024)
    return bool((target == left + right).all())


def torch(module):
    source = module.arange(COUNT, dtype=module.float32, device="cuda")
    target = module.zeros_like(source)
    for _ in range(LAUNCHES):
        module.mul(source, 3.0, out=target)
    return bool((target == 3.0 * source).all())


MODES = {"cupy_raw": ("cupy", cupy_raw), "cupy": ("cupy", cupy), "triton": ("triton", triton), "torch": ("torch", torch)}


def main():
    library, run = MODES[sys.argv[1]]
    try:
        module = importlib.import_module(library)
    except ImportError as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 3
    if run(module):
        return 0
    print(f"{sys.argv[1]}: wrong results", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
