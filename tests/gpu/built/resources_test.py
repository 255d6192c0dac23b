#!/usr/bin/env python3
"""What every kernel takes of a multiprocessor: registers, static shared memory and local memory, for sm_80 and sm_90,
read from the built library. Each has a row of BUDGETS; a kernel beyond its row runs with fewer thread blocks at once,
or reads and writes local memory where it should not.

Usage: resources_test.py LIBRARY     (libkv_gpu_kernels_cuda.a)
"""

import collections
import re
import sys

import fat_binaries
from fat_binaries import CODE, PTX, Kernel

ARCHITECTURES = (80, 90)
PTX_ARCHITECTURE = 90
# Of a multiprocessor, on both (CUDA programming guide, compute capabilities 8.0 and 9.0).
REGISTERS, THREADS, MAX_BLOCKS = 65536, 2048, 32
REGISTERS_PER_ALLOCATION = 256  # a warp gets multiples of it

# threads: of a block. blocks: at once on a multiprocessor, as far as registers allow: those of the kernel's
# __launch_bounds__, else what its loads need to hide latency. shared: bytes of static shared memory. local: bytes of a
# thread's local memory, 0 unless a reason is given.
Budget = collections.namedtuple("Budget", "kernels threads blocks shared local", defaults=(0, 0))
SINE = 32  # sine and cosine of large angles reduce the argument with an array
BUDGETS = [
    # The accumulators of 256 channels take all 255 registers: ptxas spills a few.
    Budget(r"attend_paged<256>", 128, 1, 528, 80),
    Budget(r"attend_paged<(32|64|96|128)>", 128, 2, 528),
    Budget(r"compact", 256, 2),
    Budget(r"copy_blocks", 128, 8),
    Budget(r"fp8_decode", 128, 16),
    Budget(r"fp8_encode", 128, 12),
    # Only for head_dim 8; ptxas spills a pair of registers on sm_90.
    Budget(r"gather_paged<ToRows, 1>", 128, 8, 0, 8),
    Budget(r"gather_paged<ToRows, (2|4|8|16|32)>|gather_paged<ToBlocks, \d+>", 128, 8),
    Budget(r"decode_keys<(2|4), false>", 128, 12),
    Budget(r"decode_keys<8, false>|decode_keys<(2|4), true>", 128, 10),
    Budget(r"decode_keys<8, true>", 128, 9),
    # ptxas spills a pair of registers on sm_80, to keep 12 blocks.
    Budget(r"decode_values<8, true>", 128, 12, 0, 8),
    Budget(r"decode_values<8, false>|decode_values<(2|4), (true|false)>", 128, 12),
    Budget(r"encode_key_group<\d, 8, (true|false)>", 128, 7, 6144),
    Budget(r"encode_key_group<\d, 4, (true|false)>", 128, 9, 6144),
    Budget(r"encode_key_group<\d, (1|2), (true|false)>", 128, 12, 6144),
    Budget(r"encode_keys<\d, (true|false)>", 128, 10),
    Budget(r"encode_values<\d, (true|false)>", 128, 8),
    Budget(r"activation<(float|unsigned short)>", 128, 16),
    Budget(r"add_and_norm<(float|unsigned short)>", 512, 4, 64),
    Budget(r"write_heads<(float|unsigned short)>", 128, 12, 0, SINE),
    Budget(r"check_blocks|leaf_checksums", 128, 8),
    Budget(r"reset_count", 1, 32),
    Budget(r"probe_product", 32, 32),
    Budget(r"probe_sums", 1024, 2, 16),
    Budget(r"recompute_kv<256>", 256, 1, 0, SINE),
    Budget(r"recompute_kv<(64|128)>", 256, 2, 0, SINE),
    Budget(r"rerotate", 128, 16, 0, SINE),
    Budget(r"join_sums", 512, 4, 2112),
    Budget(r"score_by_anchor<KeyLanes<\d+> >", 128, 8),
    Budget(r"sum_unit_keys<KeyLanes<\d+> >", 128, 7, 8192),
    Budget(r"score_knorm<KeyLanes<\d+> >", 128, 10),
    # ptxas keeps to 128 registers on sm_80 and spills a few of them.
    Budget(r"attend_window<(128|256), true>", 128, 3, 0, 16),
    Budget(r"attend_window<96, true>", 128, 4, 0, 8),
    Budget(r"attend_window<256, false>", 128, 3),
    Budget(r"attend_window<(96|128), false>", 128, 4),
    Budget(r"attend_window<64, (true|false)>", 128, 5),
    Budget(r"attend_window<32, (true|false)>", 128, 7),
    Budget(r"join_parts|score_window", 128, 16),
    Budget(r"pool_paid", 128, 16, 4608),
    Budget(r"select_top", 1024, 2, 1288),
]


def blocks_at_once(registers, threads):
    """Thread blocks that a multiprocessor holds, as far as registers and threads go."""
    warps = -(-threads // 32)
    of_warp = -(-registers * 32 // REGISTERS_PER_ALLOCATION) * REGISTERS_PER_ALLOCATION
    return min(REGISTERS // (warps * of_warp), THREADS // (warps * 32), MAX_BLOCKS)


def complaints_of(kernel, budget):
    where = f"{kernel.name} on sm_{kernel.architecture}"
    if kernel.max_threads not in (None, budget.threads):
        yield f"{where} is compiled for {kernel.max_threads} threads, its budget is for {budget.threads}"
    blocks = blocks_at_once(kernel.registers, budget.threads)
    if blocks < budget.blocks:
        yield f"{where} has {kernel.registers} registers: {blocks} blocks at once, wanted {budget.blocks}"
    if kernel.local_bytes > budget.local:
        yield f"{where} has {kernel.local_bytes} bytes of local memory, allowed {budget.local}"
    if kernel.shared_bytes > budget.shared:
        yield f"{where} has {kernel.shared_bytes} bytes of shared memory, allowed {budget.shared}"


def complaints(kernels, budgets):
    unused = {budget.kernels for budget in budgets}
    for kernel in kernels:
        rows = [budget for budget in budgets if re.fullmatch(budget.kernels, kernel.name)]
        if len(rows) != 1:
            yield f"{kernel.name} has {len(rows)} rows in BUDGETS"
            continue
        unused.discard(rows[0].kernels)
        yield from complaints_of(kernel, rows[0])
    for row in sorted(unused):
        yield f"no kernel has the name of the row {row}"


def completeness(images, found):
    """Whether one fat binary has the same kernels for every architecture, and as PTX."""
    code = {image.architecture for image in images if image.kind == CODE}
    ptx = set().union(
        *(
            fat_binaries.entries_of_ptx(image.content)
            for image in images
            if image.kind == PTX and image.architecture == PTX_ARCHITECTURE
        )
    )
    for symbol in sorted({kernel.name for kernel in found}):
        there = {kernel.architecture for kernel in found if kernel.name == symbol}
        for architecture in ARCHITECTURES:
            if architecture not in there:
                yield f"{symbol} has no code for sm_{architecture}, there is code for {sorted(code)}"
        if symbol not in ptx:
            yield f"{symbol} has no PTX for compute_{PTX_ARCHITECTURE}"


def check_itself():
    """Each kind of complaint, from kernels made for it."""
    row = [Budget(r"k<\d>", 256, 2, 64, 8)]
    good = Kernel("k<1>", 80, 128, 8, 64, 256)
    assert blocks_at_once(128, 256) == 2 and blocks_at_once(129, 256) == 1 and blocks_at_once(32, 1024) == 2
    assert blocks_at_once(16, 32) == 32 and blocks_at_once(255, 128) == 2 and blocks_at_once(40, 128) == 12
    assert not list(complaints([good], row))
    for change in ({"registers": 129}, {"local_bytes": 9}, {"shared_bytes": 65}, {"max_threads": 128}, {"name": "l"}):
        assert list(complaints([good._replace(**change)], row)), change
    assert list(complaints([good], row + [Budget("other", 32, 1)]))
    assert "2 rows" in next(complaints([good], row + [Budget("k<1>", 32, 1)]))
    code = [fat_binaries.Image(CODE, architecture, b"") for architecture in ARCHITECTURES]
    ptx = fat_binaries.Image(PTX, PTX_ARCHITECTURE, b".visible .entry _k1(\n")
    both = [Kernel("_k1", architecture, 8, 0, 0, None) for architecture in ARCHITECTURES]
    assert not list(completeness(code + [ptx], both))
    assert list(completeness(code, both)) and list(completeness(code + [ptx], both[:1]))
    assert list(completeness(code + [ptx._replace(architecture=80)], both))


def main():
    check_itself()
    kernels, wrong = [], []
    with open(sys.argv[1], "rb") as file:
        for images in fat_binaries.binaries(file.read()):
            found = [
                kernel
                for image in images
                if image.kind == CODE
                for kernel in fat_binaries.Cubin(image.content).kernels(image.architecture)
            ]
            wrong += completeness(images, found)
            kernels += found
    names = fat_binaries.plain_names(kernel.name for kernel in kernels)
    kernels = [kernel._replace(name=names[kernel.name]) for kernel in kernels]
    print("kernel, architecture: registers, local bytes, shared bytes")
    for kernel in sorted(kernels):
        print(
            f"{kernel.name}, sm_{kernel.architecture}: {kernel.registers}, {kernel.local_bytes}, {kernel.shared_bytes}"
        )
    wrong += complaints(kernels, BUDGETS)
    for line in wrong:
        print("FAIL:", line)
    print(f"{len(kernels)} kernels, {len(wrong)} complaints")
    return 1 if wrong or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
