#!/usr/bin/env bash
# docs/reproduce.md and its page a paper, from a folder that `kvantage-cli reproduce all --out FOLDER` has filled. Small
# pictures are copied to docs/reproduce; larger ones and the CSV files stay in the folder, and no page names them.
#
#     docs/make_reproduce.sh FOLDER [DOCS]
set -euo pipefail
folder=$(cd "${1:?names no folder; give that of reproduce all --out}" && pwd)
docs=${2:-$(dirname "${BASH_SOURCE[0]}")}
python3 - "$folder" "$docs" <<'PY'
import pathlib, re, shutil, sys, textwrap

folder, docs = map(pathlib.Path, sys.argv[1:])
MAX_PICTURE, MAX_PICTURES = 60_000, 3_000_000  # bytes of one, and of all
pictures = docs / "reproduce"
shutil.rmtree(pictures, ignore_errors=True)
copied = 0


def wrapped(paragraph):
    return textwrap.fill(" ".join(paragraph.split()), 120, break_long_words=False, break_on_hyphens=False)


def picture(paragraph):
    """The paragraph with its link to the copy; empty where the picture stays in the folder."""
    global copied
    found = re.fullmatch(r"!\[(.*)\]\(([^()]+)\)", paragraph.strip(), re.DOTALL)
    size = (folder / found[2]).stat().st_size
    if size > MAX_PICTURE or copied + size > MAX_PICTURES:
        return ""
    copied += size
    target = pictures / found[2]
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / found[2], target)
    return wrapped(f"![{found[1]}](reproduce/{found[2]})")


def text(paragraph):
    # "Scores: 31 rows: [decode.csv](compaction/decode.csv)"
    shown = re.sub(r":\s+(\d+ rows?):\s+\[[^\]]*\.csv\]\([^)]*\.csv\)", r": \1.", paragraph)
    return paragraph if shown == paragraph else wrapped(shown)


for page in sorted(folder.glob("reproduce*.md")):
    parts = page.read_text().rstrip("\n").split("\n\n")
    shown = [picture(part) if part.lstrip("\n").startswith("![") else text(part) for part in parts]
    (docs / page.name).write_text("\n\n".join(part for part in shown if part) + "\n")
    print(docs / page.name)
print(f"{copied} bytes of pictures")
PY
