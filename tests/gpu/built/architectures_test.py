#!/usr/bin/env python3
"""The kernels of a built file are there for the GPUs that they must run on: code for sm_80 and sm_90, PTX for what
comes later.

Usage: architectures_test.py FILE...     (reads the fat binaries that nvcc put into each)
"""

import sys

import fat_binaries
from fat_binaries import CODE, PTX

WANTED = {(CODE, 80), (CODE, 90), (PTX, 90)}


def main():
    missing = 0
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            binaries = fat_binaries.binaries(file.read())
        found = {(image.kind, image.architecture) for images in binaries for image in images}
        print(
            name,
            " ".join(sorted(f"{'sm' if kind == CODE else 'PTX'}_{architecture}" for kind, architecture in found))
            or "nothing for a GPU",
        )
        missing += not WANTED <= found
    return 1 if missing or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
