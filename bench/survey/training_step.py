"""A PyTorch program that a survey is measured with: `training_step.py SIZE`. It trains a transformer and prints `round_ms`,
the median wall time of five rounds of steps after the warm-up. With the size `large` the GPU is busy throughout; with `small` the host is
the bottleneck. Each step is an NVTX range."""

import statistics
import sys
import time

import torch

SIZES = {"large": (1024, 16, 64, 256, 15), "small": (256, 4, 8, 64, 40)}  # width, heads, batch, length, steps


def main():
    width, heads, batch, length, steps = SIZES[sys.argv[1]]
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = torch.randn(batch, length, width, device="cuda")

    def step():
        torch.cuda.nvtx.range_push("step")
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = torch.nn.functional.mse_loss(model(data), data)
        loss.backward()
        optimiser.step()
        torch.cuda.nvtx.range_pop()
        return loss

    for _ in range(10):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    print(f"round_ms {statistics.median(times):.3f}")
    print(f"slowest_over_fastest {max(times) / min(times):.3f}")


main()
