#!/usr/bin/env python3
"""Optima of multiple-choice knapsacks by HiGHS: tests/goldens/choice_optima.json.

    python3 -m pip install highspy==1.16.0 && python3 tests/parity/make_milp_goldens.py

The problems are drawn by the formula below, the same as in tests/policy/choice_problem_test.cpp.
"""
import json
import pathlib

import highspy
import numpy

MASK = (1 << 64) - 1


class Random:
    """SplitMix64, as core/base/random.h."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) * 2.0 ** -53

    def below(self, bound):
        return (self.next() * bound) >> 64


def problem(seed, groups, tiers, forms):
    random = Random(seed)
    rooms = [groups * 800 * (tier + 1) + random.below(1000) for tier in range(tiers)]
    made = []
    for _ in range(groups):
        size, worth = 1000 + random.below(9000), random.uniform()
        options = [(-1, 0, 0.1 * random.uniform())]
        for tier in range(tiers):
            for form in range(1, forms + 1):
                value = worth * (1 - 0.3 * tier) * form / (form + 1) + 0.05 * random.uniform()
                options.append((tier, size * form // forms, value))
        made.append(options)
    return rooms, made


def optimum(rooms, groups):
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-11)
    solver.setOptionValue("mip_feasibility_tolerance", 1e-9)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-9)
    columns = [(g, o) for g, options in enumerate(groups) for o in options]
    solver.addVars(len(columns), numpy.zeros(len(columns)), numpy.ones(len(columns)))
    for column, (_, option) in enumerate(columns):
        solver.changeColCost(column, -option[2])
        solver.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    for group in range(len(groups)):
        own = [c for c, (g, _) in enumerate(columns) if g == group]
        solver.addRow(1, 1, len(own), numpy.array(own), numpy.ones(len(own)))
    for tier, room in enumerate(rooms):
        own = [c for c, (_, o) in enumerate(columns) if o[0] == tier and o[1] > 0]
        sizes = numpy.array([columns[c][1][1] / room for c in own])
        solver.addRow(-highspy.kHighsInf, 1, len(own), numpy.array(own), sizes)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    taken = [column for column, value in zip(columns, solver.getSolution().col_value) if value > 0.5]
    assert len(taken) == len(groups)
    for tier, room in enumerate(rooms):
        assert sum(o[1] for _, o in taken if o[0] == tier) <= room
    return sum(o[2] for _, o in taken)


def main():
    cases = []
    for seed, groups, tiers, forms in [(1, 5, 1, 2), (2, 12, 2, 3), (3, 12, 3, 3), (4, 40, 1, 6), (5, 40, 2, 6),
                                       (6, 40, 3, 4), (7, 120, 2, 4), (8, 120, 1, 8), (9, 300, 2, 3), (10, 300, 1, 4)]:
        rooms, made = problem(seed, groups, tiers, forms)
        cases.append({"seed": seed, "groups": groups, "tiers": tiers, "forms": forms, "optimum": optimum(rooms, made)})
    out = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "choice_optima.json"
    out.write_text(json.dumps({"solver": "HiGHS " + highspy.Highs().version(), "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
