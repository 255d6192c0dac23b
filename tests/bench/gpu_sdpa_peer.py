#!/usr/bin/env python3
"""Decode attention of bench_gpu_kernels beside torch's scaled_dot_product_attention at the same shapes on dense heads,
in one run on one GPU.

Usage: gpu_sdpa_peer.py BUILD/tests/bench_gpu_kernels [TOKENS]     (needs torch with CUDA; 77 where there is none)
"""

import re
import subprocess
import sys


def sdpa_seconds(torch, heads, group, tokens, rounds=30):
    """Best of `rounds`, by events, of one decode step: a query of each of heads * group query heads, head_dim 128,
    bf16."""
    functional = torch.nn.functional
    query = torch.randn(1, heads * group, 1, 128, device="cuda", dtype=torch.bfloat16)
    keys, values = (torch.randn(1, heads, tokens, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    best = float("inf")
    for number in range(rounds + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        functional.scaled_dot_product_attention(query, keys, values, enable_gqa=group > 1)
        end.record()
        end.synchronize()
        if number >= 3:
            best = min(best, begin.elapsed_time(end) / 1e3)
    return best


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip())
        return 2
    try:
        import torch
    except ImportError:
        print("skipped: no torch for Python here")
        return 77
    if not torch.cuda.is_available():
        print("skipped: no GPU that torch can use")
        return 77
    tokens = int(sys.argv[2]) if len(sys.argv) > 2 else 32768
    ours = subprocess.run(
        [sys.argv[1], str(tokens)], capture_output=True, text=True
    ).stdout  # its own verdicts are its own
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, {tokens} tokens, head_dim 128, bf16")
    print(f"{'KV heads':>8} {'group':>6} {'ours, us':>10} {'torch, us':>10} {'torch / ours':>13}")
    slower = False
    rows = re.findall(r"attend, (\d+) KV heads, group (\d+)\s+([\d.]+)", ours)
    if not rows:
        print(ours)
        return 1
    for heads, group, microseconds in rows:
        theirs = sdpa_seconds(torch, int(heads), int(group), tokens) * 1e6
        print(f"{heads:>8} {group:>6} {microseconds:>10} {theirs:>10.1f} {theirs / float(microseconds):>13.2f}")
        slower |= theirs < float(microseconds)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
