#!/usr/bin/env python3
"""The kernels of a built file are there for the GPUs that they must run on: code for sm_80 and sm_90, PTX for what
comes later.

Usage: architectures_test.py FILE...     (reads the fat binaries that nvcc put into each)
"""

import struct
import sys

MAGIC = b"\x50\xed\x55\xba"
PTX, CODE = 1, 2
WANTED = {(CODE, 80), (CODE, 90), (PTX, 90)}


def parts(data):
    """(kind, architecture) of all that the fat binaries in `data` hold."""
    found, at = set(), data.find(MAGIC)
    while 0 <= at <= len(data) - 16:
        _, version, header, size = struct.unpack_from("<IHHQ", data, at)
        if version == 1 and header == 16 and at + header + size <= len(data):
            place, end = at + header, at + header + size
            while place < end:
                kind, _, header_bytes, bytes_ = struct.unpack_from("<HHIQ", data, place)
                if header_bytes < 32:  # no entry of nvcc's
                    break
                found.add((kind, struct.unpack_from("<I", data, place + 28)[0]))
                place += header_bytes + bytes_
        at = data.find(MAGIC, at + 4)
    return found


def main():
    missing = 0
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            found = parts(file.read())
        print(
            name,
            " ".join(sorted(f"{'sm' if kind == CODE else 'PTX'}_{architecture}" for kind, architecture in found))
            or "nothing for a GPU",
        )
        missing += not WANTED <= found
    return 1 if missing or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
