// libgomp reads its environment when it is loaded, before main(): settings made later come too late.
#pragma once

namespace kvantage {

/// Sets OMP_WAIT_POLICY=passive (idle workers sleep instead of spinning on cores that the window and the tiers need) and
/// starts the program anew with the same arguments, unless it is set already. Call first in main().
void restart_with_passive_openmp(char** argv);

}  // namespace kvantage
