#!/usr/bin/env python3
"""Linear relaxations and optima of small fleets by HiGHS: tests/goldens/fleet_optima.json.

    python3 -m pip install highspy==1.16.0 && python3 tests/parity/make_fleet_goldens.py

The fleets are drawn by the formula below, the same as in tests/fleet/drawn_fleets.h. Every form of every context is a
column; each tier of each engine is a row, and the store one row of all.
"""
import json
import pathlib

import highspy
import numpy

from make_milp_goldens import Random


def fleet(seed, shards, contexts, own, forms):
    random = Random(seed)
    rooms, drawn = [], []
    for _ in range(shards):
        rooms.append([contexts * 500 * (tier + 1) + random.below(1000) for tier in range(own)])
        one = []
        for _ in range(contexts):
            size, frequency = 1000 + random.below(9000), (1 + random.below(1000)) / 1024
            unstored = random.below(100) / 1024
            worth = 200 + random.below(800)
            options = [(-1, 0, frequency * unstored)]
            for tier in range(own + 1):
                for form in range(1, forms + 1):
                    value = (worth * form // (form + 1 + tier) + random.below(50)) / 1024
                    options.append((tier, size * form // forms, frequency * value))
            one.append(options)
        drawn.append(one)
    return rooms, shards * contexts * 300 + random.below(1000), drawn


def solved(rooms, store, drawn, own, whole):
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-11)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-9)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-9)
    columns = [(s, c, o) for s, one in enumerate(drawn) for c, options in enumerate(one) for o in options]
    solver.addVars(len(columns), numpy.zeros(len(columns)), numpy.ones(len(columns)))
    for column, (_, _, option) in enumerate(columns):
        solver.changeColCost(column, -option[2])
        if whole:
            solver.changeColIntegrality(column, highspy.HighsVarType.kInteger)

    def row(own_columns, values, low, high):
        solver.addRow(low, high, len(own_columns), numpy.array(own_columns), numpy.array(values, dtype=float))

    by_context = {}
    for column, (s, c, _) in enumerate(columns):
        by_context.setdefault((s, c), []).append(column)
    for own_columns in by_context.values():
        row(own_columns, [1] * len(own_columns), 1, 1)
    for s, limits in enumerate(rooms):
        for tier, room in enumerate(limits):
            taken = [i for i, (at, _, o) in enumerate(columns) if at == s and o[0] == tier]
            row(taken, [columns[i][2][1] / room for i in taken], -highspy.kHighsInf, 1)
    taken = [i for i, (_, _, o) in enumerate(columns) if o[0] == own]
    row(taken, [columns[i][2][1] / store for i in taken], -highspy.kHighsInf, 1)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return sum(option[2] * value for (_, _, option), value in zip(columns, solver.getSolution().col_value))


def main():
    cases = []
    for seed, shards, contexts, own, forms in [(1, 3, 5, 0, 2), (2, 4, 30, 0, 3), (3, 10, 100, 0, 4), (4, 3, 5, 1, 2),
                                               (5, 4, 60, 1, 3), (6, 8, 150, 1, 3), (7, 4, 150, 2, 3)]:
        rooms, store, drawn = fleet(seed, shards, contexts, own, forms)
        relaxed = solved(rooms, store, drawn, own, False)
        case = {"seed": seed, "shards": shards, "contexts": contexts, "own": own, "forms": forms, "relaxation": relaxed}
        if shards * contexts <= 20:
            case["optimum"] = solved(rooms, store, drawn, own, True)
        cases.append(case)
    out = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "fleet_optima.json"
    out.write_text(json.dumps({"solver": "HiGHS " + highspy.Highs().version(), "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
