"""Prints the start in a language from a page: the first fenced block of that language under its heading "Start"."""

import re
import sys

language, page = sys.argv[1:]
text = open(page, encoding="utf-8").read()
section = re.search(r"^## Start\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
block = section and re.search(rf"^```{language}\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
if not block:
    raise SystemExit(f"{page}: no block of {language} under Start")
print(block[1], end="")
