// Progress of a figure, for programs that make figures.
#pragma once

#include "core/experiments/studies/figure_progress.h"  // IWYU pragma: export
