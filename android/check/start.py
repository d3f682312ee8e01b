"""Prints the start in a language from a page: the first fenced block of that language under the heading, by default "Start".

A start that is longer than 15 lines of code is refused.
"""

import re
import sys

LONGEST = 15

language, page = sys.argv[1:3]
heading = sys.argv[3] if len(sys.argv) > 3 else "Start"
text = open(page, encoding="utf-8").read()
section = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", text, re.MULTILINE | re.DOTALL)
block = section and re.search(rf"^```{language}\n(.*?)^```$", section[2], re.MULTILINE | re.DOTALL)
if not block:
    raise SystemExit(f"{page}: no block of {language} under {heading}")
lines = sum(1 for line in block[1].splitlines() if line.strip())
if lines > LONGEST:
    raise SystemExit(f"{page}: the start in {language} has {lines} lines of code, and at most {LONGEST} were expected")
print(block[1], end="")
