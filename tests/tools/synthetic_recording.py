"""Writes a made-up recording in warptune's own format (docs/database.md), of the requested size. It is the same each time."""

import json
import math
import random

PARAMETERS = {"BLOCK_M": [32, 64, 128, 256], "BLOCK_N": [32, 64, 128, 256], "BLOCK_K": [8, 16, 32], "THREAD_M": [4, 8, 16],
              "THREAD_N": [4, 8, 16], "VECTOR": [1, 2, 4], "STAGES": [1, 2, 3, 4], "UNROLL": [1, 2, 4, 8],
              "ORDER": ["row", "column", "diagonal"], "PAD": [False, True]}
COUNTERS = ("dram__bytes.sum", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "first_launch_ns", "gpu__time_duration.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "lts__t_bytes.sum",
            "shared_bank_conflicts_per_access", "sm__warps_active.avg.pct_of_peak_sustained_active", "sm_clock_mhz",
            "smsp__inst_executed.sum", "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "smsp__thread_inst_executed_per_inst_executed.ratio")
GPU = {"name": "NVIDIA H200", "compute_major": 9, "compute_minor": 0, "sm_count": 132, "l2_bytes": 62914560, "memory_bytes": 150109880320,
       "memory_bandwidth_bytes_per_s": 4814304000000, "max_clock_khz": 1980000, "ecc": True, "mig": False, "max_threads_per_block": 1024,
       "max_threads_per_sm": 2048, "max_blocks_per_sm": 32, "registers_per_sm": 65536, "shared_bytes_per_block": 49152,
       "shared_bytes_per_block_optin": 232448, "shared_bytes_per_sm": 233472, "warp_size": 32, "chip": "GH100"}


def write(path, rows, counters=len(COUNTERS), kernel="synthetic", gpu="NVIDIA H200", size=4096):
    """`rows` configurations, some dropped and some failed, each with `counters` counters. Times grow with the size
    of the problem. Each GPU and size has its own effects of the parameters."""
    chance = random.Random(1)
    names = [COUNTERS[i] if i < len(COUNTERS) else f"smsp__made_up_metric_number_{i}.avg.per_cycle_active" for i in range(counters)]
    radices = [len(values) for values in PARAMETERS.values()]
    shape = random.Random(f"{gpu} {size}")
    # For each parameter: the strength of its effect, and the position of its best value as a share of its list.
    effects = [(shape.uniform(0.1, 0.4), shape.random()) for _ in radices]
    places = chance.sample(range(math.prod(radices)), rows)
    header = {
        "format": "warptune-recording", "version": 1,
        "subject": {"kernel": kernel, "kernel_hash": "0" * 32, "problem": {"N": size}, "gpu": {**GPU, "name": gpu}, "cache": "cold"},
        "parameters": [{"name": name, "description": f"what {name} sets", "values": values} for name, values in PARAMETERS.items()],
        "constraints": [], "constants": {}, "listed": True,
        "default": {name: values[0] for name, values in PARAMETERS.items()},
        "work": {"flops": 1.4e11 * size / 4096, "bytes": 2e8 * size / 4096}, "roofs": {"memory_bytes_per_s": 4.2e12, "fp32_flops_per_s": 6e13},
        "environment": {"warptune_version": "0.1.0", "driver_version": 13000, "nvrtc_version": 13000, "sm_clock_mhz": 1980,
                        "memory_clock_mhz": 3201, "throttle_reasons": "0x0"},
        "columns": ["configuration", "status", "reason", "time", "samples", "counters", "resources", "compile_ms", "measure_ms", "time_stamp"],
        "counters": names, "time_base_ms": 1_700_000_000_000, "rows": rows}
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(header) + "\n")
        for i, place in enumerate(places):
            out.write(json.dumps(row_of(chance, i, place, radices, counters, size / 4096, effects)) + "\n")


def row_of(chance, number, place, radices, counters, scale, effects):
    choice = []
    for radix in radices:
        choice.append(place % radix)
        place //= radix
    stamp = 40 * (number + 1)
    if chance.random() < 0.03:
        reason = f"{chance.randrange(100, 300)} registers a thread, the GPU has {chance.choice((128, 255))}"
        return [choice, "launch_invalid", reason, [None, None, None], [], [], [0] * 8, 30.5, 0.0, stamp]
    time = int(3e7 * scale * math.exp(sum(strength * abs(c / r - best) for c, r, (strength, best) in zip(choice, radices, effects)) + chance.gauss(0, 0.05)))
    dropped = chance.random() < 0.1
    values = [float(f"{time * 10 ** chance.uniform(-4, 3):.6g}") for _ in range(counters)]
    return [choice, "dropped" if dropped else "measured", "slower than the best so far" if dropped else "",
            [time, -time // 500, time // 500], [0, time // 900], values, [64, 0, 16384, 0, 256, 4096, 4, 0.5], 30.5, 9.25, stamp]
