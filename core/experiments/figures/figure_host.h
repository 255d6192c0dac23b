// What a figure needs of the program, for programs that make figures.
#pragma once

#include "core/experiments/studies/figure_host.h"  // IWYU pragma: export
