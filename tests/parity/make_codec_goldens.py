#!/usr/bin/env python3
"""Goldens for codecs (core/kv/codecs): KIVI and CacheGen written a second time from their definitions in numpy, e4m3
from ml_dtypes. Rows are drawn by SplitMix, so only digests of what must come out are stored.

    python3 -m venv VENV && VENV/bin/pip install numpy ml_dtypes
    VENV/bin/python tests/parity/make_codec_goldens.py
"""

import hashlib
import json
import pathlib

import ml_dtypes
import numpy as np

from splitmix import SplitMix

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "codecs.json"
F32 = np.float32


def rows(seed, count, head_dim, is_bf16):
    """[count, head_dim] fp32: channels of many widths and offsets, as keys have."""
    draws = SplitMix(seed)
    numbers = np.array([draws.uniform() for _ in range(count * head_dim)]).reshape(count, head_dim)
    channel = np.arange(head_dim)
    numbers = ((numbers - 0.5) * 2.0 ** (channel % 7 - 3) + (channel % 3) * 0.75).astype(F32)
    return numbers.astype(ml_dtypes.bfloat16).astype(F32) if is_bf16 else numbers


def digest(data):
    return hashlib.sha256(data).hexdigest()


def held(numbers, is_bf16):
    return (numbers.astype(ml_dtypes.bfloat16) if is_bf16 else numbers.astype(F32)).tobytes()


def half_below(number):
    half = np.float16(number)
    return np.nextafter(half, np.float16(-np.inf)) if F32(half) > number else half


def kivi_group(values, bits):
    """Scale and minimum in fp16, codes by what a reader will read of them. KIVI divides; the codec multiplies by the
    reciprocal, which may only matter where the quotient is half way between two codes to the last bits."""
    most = 2**bits - 1
    low = half_below(values.min())
    scale = np.float16((values.max() - F32(low)) / F32(most))
    if scale == 0:
        return scale, low, np.zeros(len(values), np.uint8)
    codes = np.rint((values - F32(low)) * (F32(1) / F32(scale))).clip(0, most)
    quotient = (values.astype(np.float64) - np.float64(low)) / np.float64(scale)
    defined = np.rint(quotient).clip(0, most)
    assert ((codes == defined) | (np.abs(quotient - np.floor(quotient) - 0.5) < 1e-4)).all()
    return scale, low, codes.astype(np.uint8)


def kivi(numbers, bits, residual, group, kind, is_bf16):
    count, head_dim = numbers.shape
    newest = 0 if residual == 0 else count % residual if kind == "keys" else min(count, residual)
    quantized = count - newest
    codes = np.zeros((quantized, head_dim), np.uint8)
    scales, lows, decoded = [], [], numbers.copy()
    if kind == "keys":
        groups = [(slice(t, min(t + group, quantized)), c) for t in range(0, quantized, group) for c in range(head_dim)]
    else:
        groups = [(t, slice(c, min(c + group, head_dim))) for t in range(quantized) for c in range(0, head_dim, group)]
    for where in groups:
        scale, low, group_codes = kivi_group(numbers[where], bits)
        scales.append(scale)
        lows.append(low)
        codes[where] = group_codes
        decoded[where] = group_codes.astype(F32) * F32(scale) + F32(low)
    per_byte = 8 // bits
    packed = np.zeros((quantized, -(-head_dim // per_byte)), np.uint8)
    for c in range(head_dim):
        packed[:, c // per_byte] |= codes[:, c] << (c % per_byte * bits)
    encoded = (
        np.array(scales, np.float16).tobytes()
        + np.array(lows, np.float16).tobytes()
        + packed.tobytes()
        + held(numbers[quantized:], is_bf16)
    )
    return encoded, held(decoded, is_bf16)


def cachegen_bins(level, layer, kind):
    if level == 3:
        return 32
    if kind == "keys":
        return (32 if layer < 10 else 16) if level == 2 else (16 if layer < 20 else 12)
    return (32 if layer < 2 else 16) if level == 2 else (16 if layer < 2 else 12)


def cachegen(numbers, level, layer, kind, is_bf16):
    """What decoding gives, and the least and greatest size that a sound arithmetic coder may reach."""
    bins = cachegen_bins(level, layer, kind)
    half = bins // 2 - 1
    largest = np.abs(numbers).max(axis=1, keepdims=True)
    factor = np.where(largest > 0, F32(half) / np.where(largest > 0, largest, F32(1)), F32(0)).astype(F32)
    symbols = np.rint(numbers * factor).astype(int) + half
    decoded = ((symbols - half).astype(F32) / F32(half) * largest).astype(F32)
    count, head_dim = numbers.shape
    least = count * (2 if is_bf16 else 4)
    pieces = range(0, count, 256)
    for first in pieces:
        piece = symbols[first : first + 256]
        gamma_bits, ideal_bits = 0, 0.0
        for c in range(head_dim):
            counts = np.bincount(piece[:, c], minlength=2 * half + 1)
            sums = [int(counts[:s].sum()) * (65535 - bins) // len(piece) + s for s in range(2 * half + 1)] + [65536]
            left = len(piece)
            for n in counts[:-1]:
                if left == 0:
                    break
                gamma_bits += 2 * int(n + 1).bit_length() - 1
                left -= n
            ideal_bits -= sum(int(n) * np.log2((sums[s + 1] - sums[s]) / 65536) for s, n in enumerate(counts) if n)
        least += 4 + -(-gamma_bits // 8) + int(ideal_bits / 8)
    return held(decoded, is_bf16), least, least + 2 * len(pieces)


def main():
    cases = []
    seed = 1
    for head_dim in (16, 24, 32, 64, 128):
        for count in (1, 31, 33, 200, 300):
            for is_bf16 in (True, False):
                for kind in ("keys", "values"):
                    seed += 1
                    numbers = rows(seed, count, head_dim, is_bf16)
                    bits = (8, 4, 2)[seed % 3]
                    residual, group = ((128, 32), (0, 32), (64, 16), (48, 32))[seed % 4]
                    encoded, decoded = kivi(numbers, bits, residual, group, kind, is_bf16)
                    case = {"head_dim": head_dim, "count": count, "bf16": is_bf16, "kind": kind, "seed": seed}
                    cases.append(
                        {
                            **case,
                            "codec": f"kivi{bits}(residual={residual},group={group})",
                            "layer": 0,
                            "bytes": len(encoded),
                            "encoded": digest(encoded),
                            "decoded": digest(decoded),
                        }
                    )
                    level, layer = 1 + seed % 3, (0, 3, 11, 25)[seed % 4]
                    decoded, least, most = cachegen(numbers, level, layer, kind, is_bf16)
                    cases.append(
                        {
                            **case,
                            "codec": f"cachegen(level={level})",
                            "layer": layer,
                            "least_bytes": least,
                            "most_bytes": most,
                            "decoded": digest(decoded),
                        }
                    )
    every = np.arange(65536, dtype=np.uint16).view(ml_dtypes.bfloat16)
    limited = np.clip(every.astype(F32), F32(-448), F32(448))  # NaN stays NaN
    codes = limited.astype(ml_dtypes.float8_e4m3fn)
    back = codes.astype(F32).astype(ml_dtypes.bfloat16)
    fp8 = {"encoded": digest(codes.tobytes()), "decoded": digest(back.tobytes())}
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    OUT.write_text('{"fp8":' + json.dumps(fp8) + ',\n"cases":[\n' + lines + "\n]}\n")
    print(f"{len(cases)} cases in {OUT.name}")


main()
