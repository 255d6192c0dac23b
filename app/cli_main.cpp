// kvantage-cli: everything without a window.
#include "app/cli_program.h"
#include "app/wiring/openmp.h"

int main(int argc, char** argv) {
  kvantage::restart_with_short_spins(argv);
  return kvantage::cli::run_command_line(argc, argv);
}
