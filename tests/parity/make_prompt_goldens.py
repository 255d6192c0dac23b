#!/usr/bin/env python3
"""Goldens for core/text/prompt_template: what transformers renders for a context and a question.

    build/venv-text/bin/pip install 'transformers<5' jinja2
    build/venv-text/bin/python tests/parity/make_prompt_goldens.py

The templates are short ones in the manner of the models named beside them.
"""

import json
import pathlib

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

GOLDENS = pathlib.Path(__file__).resolve().parents[1] / "goldens"

TURNS = (
    "{% for message in messages %}"
    "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
)
OPEN = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
INST = "{% for message in messages %}{% if message['role'] == 'user' %}"
CASES = [
    # name, form, template, bos, eos
    ("chatml", "chatml", TURNS + OPEN, None, "<|im_end|>"),
    (
        "qwen2",
        "chatml",
        "{% if messages[0]['role'] != 'system' %}"
        "{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}"
        + TURNS
        + OPEN,
        None,
        "<|im_end|>",
    ),
    (
        "qwen2.5",
        "chatml",
        "{%- if messages[0]['role'] == 'system' %}\n"
        "    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n"
        "{%- else %}\n"
        "    {{- '<|im_start|>system\\nYou are a careful helper. Be brief.<|im_end|>\\n' }}\n{%- endif %}\n"
        + TURNS.replace("{% for", "{%- for")
        + OPEN,
        None,
        "<|im_end|>",
    ),
    (
        "qwen3",
        "chatml",
        TURNS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
        "{% if enable_thinking is defined and enable_thinking is false %}"
        "{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{% endif %}",
        None,
        "<|im_end|>",
    ),
    (
        "llama3",
        "llama3",
        "{% for message in messages %}"
        "{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'"
        "+ message['content'] | trim + '<|eot_id|>' %}"
        "{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}",
        "<|begin_of_text|>",
        "<|eot_id|>",
    ),
    (
        "mistral_v1",
        "mistral",
        "{{ bos_token }}" + INST + "{{ '[INST] ' + message['content'] + ' [/INST]' }}{% endif %}{% endfor %}",
        "<s>",
        "</s>",
    ),
    (
        "mistral_v3",
        "mistral",
        "{{- bos_token }}" + INST + "{{- '[INST] ' + message['content'] + '[/INST]' }}{% endif %}{% endfor %}",
        "<s>",
        "</s>",
    ),
    (
        "mistral_tekken",
        "mistral",
        "{{- bos_token }}" + INST + "{{- '[INST]' + message['content'] + '[/INST]' }}{% endif %}{% endfor %}",
        "<s>",
        "</s>",
    ),
]
CONTEXT = "The badge of Ada Vale is 5742 . It rained all day ."
QUESTION = "What is the badge of Ada Vale ?"


def main():
    rows = []
    for name, form, template, bos, eos in CASES:
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=Tokenizer.from_file(str(GOLDENS / "tokenizers/byte_level/tokenizer.json")),
            chat_template=template,
            bos_token=bos,
            eos_token=eos,
        )
        rendered = tokenizer.apply_chat_template(
            [{"role": "user", "content": CONTEXT + "\n\n" + QUESTION}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
        )
        rows.append(
            {
                "name": name,
                "form": form,
                "chat_template": template,
                "bos_token": bos,
                "eos_token": eos,
                "rendered": rendered,
            }
        )
    (GOLDENS / "prompts.json").write_text(
        json.dumps({"context": CONTEXT, "question": QUESTION, "cases": rows}, indent=1) + "\n"
    )
    for row in rows:
        print(row["name"], repr(row["rendered"]))


if __name__ == "__main__":
    main()
