#include "app/wiring/openmp.h"

#include <unistd.h>

#include <cstdlib>

namespace kvantage::inline wiring {

void restart_with_passive_openmp(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (::setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  (void)::setenv("GOMP_SPINCOUNT", "10000", 0);
  ::execv("/proc/self/exe", argv);  // on failure the program continues, with spinning workers
}

}  // namespace kvantage::inline wiring
