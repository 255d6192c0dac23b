#include "app/wiring/openmp.h"

#include <unistd.h>

#include <cstdlib>

namespace kvantage::inline wiring {

void restart_with_short_spins(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (::setenv("OMP_WAIT_POLICY", "active", 0) != 0) return;
  (void)::setenv("GOMP_SPINCOUNT", "10000", 0);
  ::execv("/proc/self/exe", argv);  // on failure the program continues, with workers that spin for long
}

}  // namespace kvantage::inline wiring
