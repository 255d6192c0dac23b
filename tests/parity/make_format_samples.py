#!/usr/bin/env python3
"""Small files in the form of published data sets and traces, and what they hold by plain Python.

The contents are made up; fields, types and names are those of the sources below. tests/workload/formats_test.cpp and
tests/trace/published_formats_test.cpp hold the readers against expected.json. Needs no packages; with pyarrow it also
writes the Parquet file:
    python3 tests/parity/make_format_samples.py tests/goldens/formats

Data sets:
  L-Eval              github.com/OpenLMLab/LEval, LEval-data/Closed-ended-tasks/*.jsonl
  BAMBOO              github.com/RUCAIBox/BAMBOO, datasets/*.jsonl, prompt.json
  LongBench v2        github.com/THUDM/LongBench, huggingface.co/datasets/THUDM/LongBench-v2, data.json
  Lost in the Middle  github.com/nelson-liu/lost-in-the-middle, qa_data, kv_retrieval_data, src/.../prompting.py
  HELMET              github.com/princeton-nlp/HELMET, data.py: load_qa
  RULER               github.com/NVIDIA/RULER, scripts/data/synthetic (index, input, outputs, length, answer_prefix)
  InfiniteBench       github.com/OpenBMB/InfiniteBench, src/eval_utils.py
  SCBench             github.com/microsoft/MInference, scbench/eval_utils.py
  SQuAD, Hugging Face huggingface.co/datasets/rajpurkar/squad: answers are {"text": [...], "answer_start": [...]}
Traces:
  Qwen-Bailian        github.com/alibaba-edu/qwen-bailian-usagetraces-anon, README.md
  Vidur               github.com/microsoft/vidur, data/processed_traces/splitwise_conv.csv and the arxiv one
  LLMServingSim       github.com/casys-kaist/LLMServingSim, workloads/README.md, dataset/*.tsv
  kv-cache-tester     github.com/callanjfox/kv-cache-tester, docs/trace_replay_tester.md, traces/*.json
  vscsi               github.com/1a1a11a/libCacheSim, libCacheSim/traceReader/customizedReader/vscsi.h
"""

import csv
import hashlib
import io
import json
import pathlib
import random
import struct
import sys

WORDS = "the mill of Orsay sold flour to every keeper while letters about the harbor came and went in spring".split()


def prose(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def sha(parts):
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def data_sets(rng):
    """name -> (text of the file, format, metric, number of contexts, questions, all reference answers)"""
    made = {}

    leval = [
        {
            "instructions": [f"{q}.\tIs it so, True or False?" for q in range(1, 4)],
            "outputs": ["True", "False", "True"],
            "input": prose(rng, 60),
            "source": "scientific fiction",
            "evaluation": "exam",
        }
        for _ in range(3)
    ]
    golds = [gold for row in leval for gold in row["outputs"]]
    made["sci_fi.jsonl"] = (lines(leval), "leval", "exact_match", 3, 9, golds)

    exam = [
        {
            "instructions": ["Question 1. Which?\nA. this\nB. that", "Question 2. Which all?\nA. x\nB. y\nC. z"],
            "outputs": ["B", "AC"],
            "input": prose(rng, 50),
            "source": "coursera",
            "evaluation": "exam",
        }
        for _ in range(2)
    ]
    made["coursera.jsonl"] = (lines(exam), "leval", "choice", 2, 4, ["B", "AC"] * 2)

    bamboo = [
        {
            "question": f"What is question {i}?",
            "evidence": "i. some words ",
            "options": ["A. first", "B. second", "C. third", "D. fourth"],
            "answer": "ABCD"[i],
            "content": prose(rng, 40),
        }
        for i in range(4)
    ]
    made["meetingqa_4k.jsonl"] = (lines(bamboo), "bamboo", "choice", 4, 4, list("ABCD"))
    hallucination = [
        {"content": prose(rng, 40), "hypothesis": prose(rng, 8), "answer": answer} for answer in (True, False)
    ]
    made["senhallu_4k.jsonl"] = (lines(hallucination), "bamboo", "exact_match", 2, 2, ["Yes.", "No."])
    sorting = [{"content": [prose(rng, 9) for _ in range(5)], "answer": [2, 0, 1, 4, 3]}]
    made["showssort_4k.jsonl"] = (lines(sorting), "bamboo", "exact_match", 1, 1, ["[2] > [0] > [1] > [4] > [3]"])

    v2 = [
        {
            "_id": f"66f36490821e116aacb2{i:04x}",
            "domain": "Single-Document QA",
            "sub_domain": "Financial",
            "difficulty": "easy",
            "length": "short",
            "question": f"Which of these is true of report {i}?",
            "choice_A": "one",
            "choice_B": "two",
            "choice_C": "three",
            "choice_D": "four",
            "answer": "DCBA"[i],
            "context": prose(rng, 70),
        }
        for i in range(4)
    ]
    made["data.json"] = (json.dumps(v2, indent=2), "longbench-v2", "choice", 4, 4, list("DCBA"))

    middle = [
        {
            "question": f"who sold flour in year {i}",
            "answers": [f"Mill {i}", f"the mill {i}"],
            "ctxs": [
                {"id": str(d), "title": f"Title {d}", "text": prose(rng, 20), "hasanswer": d == 1, "isgold": d == 1}
                for d in range(3)
            ],
            "nq_annotated_gold": {
                "title": "Title 1",
                "long_answer": "",
                "chunked_long_answer": "",
                "short_answers": [],
            },
        }
        for i in range(3)
    ]
    golds = [gold for row in middle for gold in row["answers"]]
    made["nq-open-3_total_documents_gold_at_1.jsonl"] = (lines(middle), "lost-in-the-middle", "contains", 3, 3, golds)
    records = [
        {"ordered_kv_records": [[f"key-{i}-{k}", f"value-{i}-{k}"] for k in range(4)], "key": f"key-{i}-2",
         "value": f"value-{i}-2"}
        for i in range(2)
    ]
    made["kv-retrieval-4_keys.jsonl"] = (
        lines(records), "lost-in-the-middle", "contains", 2, 2, ["value-0-2", "value-1-2"])
    helmet = [
        {"id": f"q{i}", "question": f"what is {i}", "answers": [f"a{i}"],
         "ctxs": [{"id": "1", "title": "T", "text": prose(rng, 12), "has_answer": True}]}
        for i in range(2)
    ]
    made["nq-dev-multikilt_1000_k20_dep6.jsonl"] = (
        lines(helmet), "lost-in-the-middle", "contains", 2, 2, ["a0", "a1"])

    ruler = [
        {
            "index": i,
            "input": "Some special magic numbers are hidden within the following text. Make sure to memorize it. I "
            f"will quiz you about the numbers afterwards.\n{prose(rng, 50)}\nWhat are all the special magic numbers "
            f"for word-{i} mentioned in the provided text?",
            "outputs": [f"{7000 + i}", f"{8000 + i}"],
            "length": 128,
            "answer_prefix": f" The special magic numbers for word-{i} mentioned in the provided text are",
        }
        for i in range(3)
    ]
    golds = [", ".join(row["outputs"]) for row in ruler]
    made["niah_multivalue.jsonl"] = (lines(ruler), "ruler", "word_recall", 3, 3, golds)

    infinite = [
        {"id": i, "context": prose(rng, 60), "input": f"Who came in spring {i}?", "answer": ["letters"],
         "options": ["keepers", "letters", "harbors", "mills"]}
        for i in range(2)
    ]
    made["longbook_choice_eng.jsonl"] = (lines(infinite), "infinitebench", "choice", 2, 2, ["B", "B"])
    passkey = [
        {"id": i, "context": prose(rng, 30) + f" The pass key is {900 + i}.", "input": "What is the pass key?",
         "answer": [str(900 + i)], "options": []}
        for i in range(2)
    ]
    made["passkey.jsonl"] = (lines(passkey), "infinitebench", "contains", 2, 2, ["900", "901"])

    turns = [
        {"id": i, "context": prose(rng, 60),
         "multi_turns": [{"input": f"Key {t} of {i}?", "answer": f"v{i}{t}"} for t in range(5)]}
        for i in range(2)
    ]
    golds = [turn["answer"] for row in turns for turn in row["multi_turns"]]
    made["scbench_kv.jsonl"] = (lines(turns), "scbench", "contains", 2, 10, golds)

    # Fields of no format of their own.
    alpaca = [{"instruction": f"Name number {i}.", "input": prose(rng, 30), "output": f"number {i}"} for i in range(3)]
    made["alpaca.json"] = (json.dumps(alpaca), "generic", "token_f1", 3, 3, [r["output"] for r in alpaca])
    squad = [
        {"id": f"s{i}", "title": "T", "context": prose(rng, 30), "question": f"What {i}?",
         "answers": {"text": [f"flour {i}", f"the flour {i}"], "answer_start": [1, 2]}}
        for i in range(3)
    ]
    golds = [gold for row in squad for gold in row["answers"]["text"]]
    made["hf_squad.jsonl"] = (lines(squad), "generic", "token_f1", 3, 3, golds)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(["passage", "query", "label", "options"])
    for i in range(3):
        writer.writerow([prose(rng, 20) + '\nA second line, with "quotes".', f"Which, {i}?", f"x{i}", ""])
    made["table.csv"] = (table.getvalue(), "generic", "token_f1", 3, 3, ["x0", "x1", "x2"])
    quality = [
        {"article": prose(rng, 40), "question": f"Which one {i}?", "options": ["p", "q", "r", "s"], "answer": i}
        for i in range(3)
    ]
    made["quality.jsonl"] = (lines(quality), "generic", "choice", 3, 3, ["A", "B", "C"])
    return made, squad


def block_ids(first, count):
    return list(range(first, first + count))


def traces():
    """name -> (bytes, format, rows, requests, input tokens, output tokens, blocks, block tokens, span in seconds)"""
    made = {}
    chats = [
        {"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 521, "output_length": 132,
         "type": "text", "turn": 1, "hash_ids": block_ids(0, 33)},
        {"chat_id": 160, "parent_chat_id": 159, "timestamp": 64.5, "input_length": 700, "output_length": 20,
         "type": "text", "turn": 2, "hash_ids": block_ids(0, 44)},
        {"chat_id": 161, "parent_chat_id": -1, "timestamp": 70.25, "input_length": 16, "output_length": 1,
         "type": "search", "turn": 1, "hash_ids": [900]},
        {"chat_id": 162, "parent_chat_id": 160, "timestamp": 71.0, "input_length": 100, "output_length": 1,
         "type": "text", "turn": 3, "hash_ids": block_ids(0, 40)},
    ]
    kept = chats[:3]  # the last has more blocks than its length
    made["qwen_traceA_blksz_16.jsonl"] = (
        lines(chats).encode(), "qwen-bailian", 4, 3, sum(c["input_length"] for c in kept),
        sum(c["output_length"] for c in kept), sum(len(c["hash_ids"]) for c in kept), 16, 70.25 - 61.114)

    rows = [(0.0, 374, 44), (4.314579, 396, 109), (5.8926549999999995, 91, 16)]
    text = "arrived_at,num_prefill_tokens,num_decode_tokens\n" + "".join(f"{t},{i},{o}\n" for t, i, o in rows)
    made["splitwise_conv.csv"] = (
        text.encode(), "vidur", 3, 3, sum(r[1] for r in rows), sum(r[2] for r in rows), 0, 512, 5.892655)
    text = (
        ",num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n"
        "0,2727,231,2958,11.8\n1,1000,10.0,1010,100\n"
    )
    made["arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv"] = (
        text.encode(), "vidur", 2, 2, 3727, 241, 0, 512, 0)

    calls = [
        {"input_toks": 40, "output_toks": 5, "arrival_time_ns": 0, "input_tok_ids": list(range(40))},
        {
            "input_toks": 48,
            "output_toks": 7,
            "arrival_time_ns": 2_500_000_000,
            "input_tok_ids": list(range(32)) + [9] * 16,
        },
    ]
    made["sharegpt.jsonl"] = (lines(calls).encode(), "llmservingsim", 2, 2, 88, 12, 6, 16, 2.5)
    agents = [{"session_id": "task-0", "arrival_time_ns": 4_000_000_000, "sub_requests": [
        {"input_toks": 1472, "output_toks": 133, "tool_duration_ns": 500_000_000},
        {"input_toks": 1582, "output_toks": 125, "tool_duration_ns": 0}]}]
    made["swe-bench.jsonl"] = (lines(agents).encode(), "llmservingsim", 2, 2, 3054, 258, 0, 16, 0.5)
    text = "input_toks\toutput_toks\tarrival_time_ns\n10\t70\t46926808\n22\t104\t347938952\n"
    made["share-gpt-req100-rate10.tsv"] = (
        text.encode(), "llmservingsim", 2, 2, 32, 174, 0, 16, (347938952 - 46926808) / 1e9)

    conversation = {
        "id": "trace_0001", "models": ["m"], "block_size": 64, "tool_tokens": 128, "system_tokens": 64,
        "requests": [
            {"t": 0.0, "type": "s", "model": "m", "in": 320, "out": 7, "hash_ids": block_ids(1, 5),
             "input_types": ["text"], "output_types": ["text"], "stop": ""},
            {"t": 15.0, "type": "subagent", "requests": [
                {"t": 16.5, "type": "n", "model": "m", "in": 128, "out": 3, "hash_ids": [1, 2], "stop": ""}]},
            {"t": 186.0, "type": "n", "model": "m", "in": 400, "out": 9, "hash_ids": block_ids(1, 6),
             "input_types": [], "output_types": ["text"], "stop": "tool_use"},
        ],
    }
    made["trace_0001.json"] = (
        json.dumps(conversation, separators=(",", ":")).encode(), "kv-cache-tester", 3, 3, 848, 19, 13, 64, 186.0)

    # u32 sn, len, nSG; u16 cmd, ver; u64 lbn, ts in us -- and version 2 with the commands first and a response time.
    first = [struct.pack("<IIIHHQQ", i, 4096 * (i + 1), 1, 42, 1 << 8, 7 + i % 2, 1_000_000 * i) for i in range(3)]
    made["trace.vscsi1"] = (b"".join(first), "vscsi", 3, 3, 1024 + 2048 + 3072, 0, 0, 512, 2.0)
    second = [struct.pack("<HHIIIQQQ", 42, 2 << 8, i, 8192, 1, 9, 500_000 * i, 11) for i in range(4)]
    made["trace.vscsi2"] = (b"".join(second), "vscsi", 4, 4, 4 * 2048, 0, 0, 512, 1.5)

    text = "arrival_ms;prompt_tokens;completion_tokens;session_id\n1000;512;3;a\n3500;100;4;b\n3500;600;5;a\n"
    made["mapped.csv"] = (text.encode(), "mapped", 3, 3, 1212, 12, 0, 512, 2.5)
    rows = [{"ts": "2024-05-10 00:00:01.5", "prompt_len": 64, "output_len": 2, "block_hashes": [1, 2, 3, 4]},
            {"ts": "2024-05-10 00:00:03", "prompt_len": 32, "output_len": 1, "block_hashes": [1, 2]}]
    made["mapped.jsonl"] = (lines(rows).encode(), "mapped", 2, 2, 96, 3, 6, 512, 1.5)
    return made


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    expected = {"data_sets": {}, "traces": {}}
    sets, squad = data_sets(random.Random(36))
    for name, (text, form, metric, contexts, questions, golds) in sets.items():
        (out / name).write_bytes(text.encode())
        expected["data_sets"][name] = {"format": form, "metric": metric, "contexts": contexts, "questions": questions,
                                       "golds": len(golds), "golds_sha256": sha(golds)}
    for name, (data, form, rows, requests, inputs, outputs, blocks, tokens, span) in traces().items():
        (out / name).write_bytes(data)
        expected["traces"][name] = {"format": form, "rows": rows, "requests": requests, "input_tokens": inputs,
                                    "output_tokens": outputs, "blocks": blocks, "block_tokens": tokens,
                                    "span_seconds": span}
    (out / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(squad), out / "hf_squad.parquet", compression="zstd")


if __name__ == "__main__":
    main()
