// Cells of figures over a workload, for programs that make figures.
#pragma once

#include "core/experiments/studies/study_cells.h"  // IWYU pragma: export
