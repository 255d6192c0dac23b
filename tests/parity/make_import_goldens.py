#!/usr/bin/env python3
"""Counts and digests of data sets, taken with Python's own json and nothing of ours.

tests/workload/import_test.cpp holds the importers against them. Needs no packages:
    python3 tests/parity/make_import_goldens.py ../shared/data/datasets > tests/goldens/imports.json
"""

import hashlib
import json
import pathlib
import re
import sys

# How the prompts of question-answering tasks end; other tasks ask without a question of their own.
QUESTION = re.compile(r"(?:Question: |Query: |问题：)([^\n]*)\n\n?(?:Answer|回答)[:：]\s*$")


def sha(parts):
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def longbench(folder):
    tasks = {}
    for path in sorted(folder.glob("*.json")):
        entries = list(json.loads(path.read_text()).values())
        golds, questions = [], []
        for entry in entries:
            gold = entry["gold"]
            if isinstance(gold, dict):
                gold = gold["answers"]
            golds += [gold] if isinstance(gold, str) else list(dict.fromkeys(gold))
            found = QUESTION.search(entry["origin_prompt"])
            if found:
                questions.append(found.group(1).strip())
        tasks[path.name] = {
            "entries": len(entries),
            "letters": sum(len("".join(e["origin_prompt"].split())) for e in entries),
            "golds": len(golds),
            "golds_sha256": sha(sorted(golds)),
            "questions": len(questions),
            "questions_sha256": sha(sorted(questions)),
        }
    return tasks


def qmsum(folder):
    files = {}
    for path in sorted(folder.glob("*.jsonl")):
        meetings = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        queries = [
            (i, q)
            for i, m in enumerate(meetings)
            for key in ("general_query_list", "specific_query_list")
            for q in m[key]
        ]
        files[path.name] = {
            "meetings": len(meetings),
            "queries": len(queries),
            "distinct_queries": len({(i, q["query"]) for i, q in queries}),
            "turns": sum(len(m["meeting_transcripts"]) for m in meetings),
            "queries_sha256": sha(sorted({f'{i} {q["query"]}' for i, q in queries})),
        }
    return files


def squad(folder):
    files = {}
    for path in sorted(folder.glob("*.json")):
        articles = json.loads(path.read_text())["data"]
        paragraphs = [p for a in articles for p in a["paragraphs"]]
        questions = [q for p in paragraphs for q in p["qas"]]
        files[path.name] = {
            "articles": len(articles),
            "paragraphs": len(paragraphs),
            "distinct_paragraphs": len({p["context"] for p in paragraphs}),
            "questions": len(questions),
            "distinct_questions": len({(p["context"], q["question"]) for p in paragraphs for q in p["qas"]}),
            "answers_sha256": sha(sorted(q["question"] + "\t" + q["answers"][0]["text"] for q in questions)),
        }
    return files


def main():
    root = pathlib.Path(sys.argv[1])
    print(
        json.dumps(
            {
                "longbench": longbench(root / "minilongbench"),
                "qmsum": qmsum(root / "qmsum"),
                "squad": squad(root / "xquad"),
            },
            indent=1,
            sort_keys=True,
        )
    )


main()
