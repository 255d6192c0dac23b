"""Prints a Parquet file as JSON, read by pyarrow: {"facts", "compression", "groups", "columns": [{"name", "type",
"cells"}]}. Usage: read_parquet.py FILE"""
import json
import math
import sys

import pyarrow.parquet

TYPES = {"int64": "whole", "double": "real", "bool": "flag", "string": "text"}


def cell(value):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


file = pyarrow.parquet.ParquetFile(sys.argv[1])
table = file.read()
groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]


def column(name):
    kind = str(table.schema.field(name).type)
    cells = [cell(value) for value in table.column(name).to_pylist()]
    return {"name": name, "type": TYPES.get(kind, kind), "cells": cells}


print(json.dumps({
    "facts": {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()},
    "compression": sorted({group.column(i).compression for group in groups for i in range(group.num_columns)}),
    "groups": [group.num_rows for group in groups],
    "columns": [column(name) for name in table.column_names],
}))
