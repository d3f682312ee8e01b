"""Says what makes up the native library: size.py LINKER-MAP STRIPPED-LIBRARY

The linker's map names the object file behind each piece of the library. One with Foundation's networking, its
internationalisation or the rest of it beyond FoundationEssentials is refused: those are more than all else together.
"""

import collections
import os
import re
import sys

# In gold's map a section's line begins at the margin, and those of its pieces after a space: a name, which may be on a line of
# its own, the address, the size and, of a piece, the file.
SECTION = re.compile(r"^\S+\s+0x([0-9a-f]+)\s+0x[0-9a-f]+$")
PIECE = re.compile(r"^ .*?\s0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: (\S.*))?$")
NAME = re.compile(r"^ ?[^\s(]+$")
PARTS = [
    ("BoringSSL", ("CCryptoBoringSSL", "CXKCP", "CryptoBoringWrapper")),
    ("Swift Crypto", ("/Crypto.build/", "/CryptoExtras.build/", "/SwiftASN1.build/")),
    ("Thumbturn", ("/Thumbturn", "/CJNI.build/")),
    ("FoundationEssentials", ("FoundationEssentials", "lib_FoundationC")),
    ("Dispatch", ("dispatch", "Blocks")),
    ("Swift's standard library", ("libswift", "swiftrt", "swift_static")),
]
# What is linked from Foundation's other libraries, which Android's library must do without.
UNWANTED = re.compile(r"lib(_?CFURL\w*|_?CoreFoundation|_?Foundation(?!Essentials|C)\w*)\.a|\bICU|\bicu")


def part(file):
    for name, marks in PARTS:
        if any(mark in file for mark in marks):
            return name
    return "the rest"


def main():
    lines, library = sys.argv[1:]
    sizes = collections.Counter()
    unwanted = set()
    name = ""
    # Debugging information and the like is not loaded: its sections have no address, and strip takes them away. Nor has what
    # nothing uses an address, and the zeroes of .bss are not in the file.
    is_in_file = False
    with open(lines, encoding="utf-8", errors="replace") as text:
        for line in map(str.rstrip, text):
            line, name = name + line, line if NAME.match(line) else ""
            if section := SECTION.match(line):
                is_in_file = int(section.group(1), 16) != 0 and not line.startswith(".bss")
            elif is_in_file and (piece := PIECE.match(line)) and int(piece.group(1), 16) != 0:
                file = piece.group(3)
                sizes[part(file) if file else "the linker's tables"] += int(piece.group(2), 16)
                unwanted.update(match.group() for match in UNWANTED.finditer(file or ""))
    if not sizes:
        sys.exit("size.py: the linker's map names no piece")
    if unwanted:
        sys.exit(f"size.py: the library has {', '.join(sorted(unwanted))}: import FoundationEssentials, not Foundation")
    parts = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.most_common())
    print(f"{os.path.getsize(library) / 1e6:.1f} MB stripped ({parts})")


if __name__ == "__main__":
    main()
