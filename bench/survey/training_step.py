"""A PyTorch program that a survey is measured with: `training_step.py SIZE`. It trains a transformer for some steps and prints
`loop_ms`, the wall time of the steps after the warm-up. With the size `large` the GPU is busy throughout; with `small` the host is
the bottleneck. Each step is an NVTX range."""

import sys
import time

import torch

SIZES = {"large": (1024, 16, 64, 256, 60), "small": (256, 4, 8, 64, 200)}  # width, heads, batch, length, steps


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
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    print(f"loop_ms {1000 * (time.perf_counter() - start):.3f}")


main()
