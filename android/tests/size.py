"""Says what makes up the native library: size.py LINKER-MAP STRIPPED-LIBRARY

The linker's map names the object file behind each piece of the library.
"""

import collections
import os
import re
import sys

# A piece in gold's map: its section, whose name may be on a line of its own, its address, size and file.
PIECE = re.compile(r"^ (?:\S+)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")
PARTS = [
    ("BoringSSL", ("CCryptoBoringSSL", "CXKCP", "CryptoBoringWrapper")),
    ("Swift Crypto", ("/Crypto.build/", "/CryptoExtras.build/", "/SwiftASN1.build/")),
    ("Thumbturn", ("/Thumbturn", "/CJNI.build/")),
    ("Foundation", ("Foundation", "_CollectionsInternal")),
    ("internationalisation", ("icu", "ICU")),
    ("Dispatch", ("dispatch", "Blocks")),
    ("Swift's standard library", ("libswift", "swiftrt", "swift_static")),
]


def part(file):
    for name, marks in PARTS:
        if any(mark in file for mark in marks):
            return name
    return "the rest"


def main():
    lines, library = sys.argv[1:]
    sizes = collections.Counter()
    with open(lines, encoding="utf-8", errors="replace") as text:
        for line in text:
            piece = PIECE.match(line)
            # Pieces without an address are not loaded: debugging information and the like.
            if piece and int(piece.group(1), 16) != 0:
                sizes[part(piece.group(3))] += int(piece.group(2), 16)
    if not sizes:
        sys.exit("size.py: the linker's map names no piece")
    parts = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.most_common())
    print(f"{os.path.getsize(library) / 1e6:.1f} MB stripped ({parts})")


if __name__ == "__main__":
    main()
