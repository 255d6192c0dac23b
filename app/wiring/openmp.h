// libgomp reads its environment when it is loaded, before main(): settings made later come too late.
#pragma once

namespace kvantage {

/// Sets OMP_WAIT_POLICY=passive (idle workers sleep instead of spinning on cores that the window and the tiers need)
/// with a short GOMP_SPINCOUNT (the next product of a decode step comes within microseconds, waking a sleeper takes
/// tens of them) and starts the program anew with the same arguments, unless the policy is set already. Call first in
/// main().
void restart_with_passive_openmp(char** argv);

}  // namespace kvantage
