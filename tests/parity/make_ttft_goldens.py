#!/usr/bin/env python3
"""Goldens for fits of imported times (core/imported/ttft_table.h): least squares by numpy, coefficients of
base + a * tokens + b * tokens^2. Only tables whose unconstrained fit has a, b >= 0 are kept.

    pip install numpy
    python3 tests/parity/make_ttft_goldens.py > tests/goldens/ttft_fits.json
"""
import json

import numpy

rows = []
random = numpy.random.default_rng(5)
while len(rows) < 20:
    tokens = numpy.sort(random.choice(numpy.arange(500, 130000), size=int(random.integers(6, 40)), replace=False))
    quadratic = len(rows) % 2 == 0
    true = [0.05 * random.random(), 1e-4 * (0.2 + random.random()), 1e-9 * (0.3 + random.random()) if quadratic else 0]
    seconds = true[0] + true[1] * tokens + true[2] * tokens**2
    seconds *= 1 + 0.01 * random.standard_normal(len(tokens))
    x = tokens / tokens.max()
    terms = [numpy.ones_like(x), x] + ([x**2] if quadratic else [])
    found, *_ = numpy.linalg.lstsq(numpy.stack(terms, axis=1), seconds, rcond=None)
    if (found[1:] < 0).any():
        continue
    rows.append({
        "quadratic": quadratic,
        "tokens": [int(t) for t in tokens],
        "seconds": [float(s) for s in seconds],
        "base": float(found[0]),
        "per_token": float(found[1] / tokens.max()),
        "per_token_squared": float(found[2] / float(tokens.max()) ** 2) if quadratic else 0.0,
    })
print(json.dumps(rows, indent=1))
