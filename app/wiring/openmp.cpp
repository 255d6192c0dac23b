#include "app/wiring/openmp.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace kvantage::inline wiring {

void restart_with_short_spins(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (::setenv("OMP_WAIT_POLICY", "active", 0) != 0) return;
  (void)::setenv("GOMP_SPINCOUNT", "10000", 0);
  // By its own path: the system shows a process under the name that it was started by.
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) ::execv(program.c_str(), argv);
  ::execv("/proc/self/exe", argv);  // on failure the program continues, with workers that spin for long
}

}  // namespace kvantage::inline wiring
