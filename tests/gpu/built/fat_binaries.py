"""What nvcc left in a built file: its fat binaries, the code of each for a GPU, and what every kernel of it takes.

Read from the file itself, so that neither cuobjdump nor a compiler's log is needed.
"""

import collections
import ctypes
import math
import re
import struct
import subprocess

MAGIC = b"\x50\xed\x55\xba"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PTX, CODE = 1, 2
# Attributes of a kernel in a cubin's .nv.info sections.
MAX_THREADS, FRAME_BYTES, REGISTERS = 0x05, 0x11, 0x2F
RESERVED_SHARED_BYTES = 1024  # by the driver, of each block from sm_90 on; the cubin counts them

Image = collections.namedtuple("Image", "kind architecture content")
# local_bytes: of a thread's stack in local memory: what ptxas spills, and arrays that do not fit into registers.
Kernel = collections.namedtuple("Kernel", "name architecture registers local_bytes shared_bytes max_threads")


def binaries(data):
    """The images of each fat binary in `data`."""
    at = data.find(MAGIC)
    while 0 <= at <= len(data) - 16:
        _, version, header, size = struct.unpack_from("<IHHQ", data, at)
        if version == 1 and header == 16 and at + header + size <= len(data):
            yield list(images(data, at + header, at + header + size))
        at = data.find(MAGIC, at + 4)


def images(data, place, end):
    while place < end:
        kind, _, header, size = struct.unpack_from("<HHIQ", data, place)
        if header < 32:  # no entry of nvcc's
            return
        architecture = struct.unpack_from("<I", data, place + 28)[0]
        content = data[place + header : place + header + size]
        if content.startswith(ZSTD_MAGIC):
            packed = struct.unpack_from("<I", data, place + 16)[0]
            unpacked = struct.unpack_from("<Q", data, place + 56)[0]
            content = decompressed(content[:packed], unpacked)
        yield Image(kind, architecture, content)
        place += header + size


def decompressed(content, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    target = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(target, size, content, len(content)) != size:
        raise ValueError("PTX that cannot be unpacked")
    return target.raw


def entries_of_ptx(content):
    return {match.decode() for match in re.findall(rb"\.entry\s+([\w$]+)", content)}


class Cubin:
    """An ELF file of one architecture, as in NVIDIA's compilers from 11 on."""

    def __init__(self, content):
        self.content = content
        start = struct.unpack_from("<Q", content, 0x28)[0]
        size, count, names = struct.unpack_from("<HHH", content, 0x3A)
        rows = [struct.unpack_from("<IIQQQQIIQQ", content, start + i * size) for i in range(count)]
        self.sections = {self.text(rows[names][4] + row[0]): row for row in rows}
        symbols = next(row for row in rows if row[1] == 2)
        strings = rows[symbols[6]][4]
        self.symbols = [
            self.text(strings + struct.unpack_from("<I", content, symbols[4] + at)[0])
            for at in range(0, symbols[5], 24)
        ]

    def text(self, at):
        return self.content[at : self.content.index(b"\0", at)].decode()

    def attributes(self, section):
        """(attribute, value) of a section of .nv.info."""
        if section not in self.sections:
            return
        at = self.sections[section][4]
        end = at + self.sections[section][5]
        while at < end:
            sized, attribute, count = struct.unpack_from("<BBH", self.content, at)
            count = count if sized == 4 else 0
            yield attribute, self.content[at + 4 : at + 4 + count]
            at += 4 + count

    def per_kernel(self, wanted):
        pairs = [struct.unpack("<II", value) for attribute, value in self.attributes(".nv.info") if attribute == wanted]
        return {self.symbols[symbol]: number for symbol, number in pairs}

    def kernels(self, architecture):
        registers, frames = self.per_kernel(REGISTERS), self.per_kernel(FRAME_BYTES)
        for section in self.sections:
            if not section.startswith(".text."):
                continue
            name = section[len(".text.") :]
            own = dict(self.attributes(".nv.info." + name))
            threads = math.prod(struct.unpack("<III", own[MAX_THREADS])) if MAX_THREADS in own else None
            shared = self.sections.get(".nv.shared." + name, [0] * 6)[5]
            if architecture >= 90:
                shared = max(0, shared - RESERVED_SHARED_BYTES)
            yield Kernel(name, architecture, registers[name], frames[name], shared, threads)


def plain_names(mangled):
    """'attend_paged<256>' for each of these names of kernels."""
    mangled = list(mangled)
    lines = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    names = {}
    for symbol, line in zip(mangled, lines.splitlines()):
        line = line.replace("(anonymous namespace)::", "").replace("kvantage::gpu::", "")
        names[symbol] = re.sub(r"^void ", "", line.split("(")[0])
    return names
