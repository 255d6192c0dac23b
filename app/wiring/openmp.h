// libgomp reads its environment when loaded, before main(): later changes have no effect.
#pragma once

namespace kvantage::inline wiring {

/// Sets OMP_WAIT_POLICY=passive (idle workers sleep instead of spinning on cores that the window and the tiers need)
/// with a short GOMP_SPINCOUNT (the next product of a decode step comes within microseconds, while waking a thread
/// takes tens of them). Then re-executes the program with the same arguments, unless the policy is already set. Call
/// first in main().
void restart_with_passive_openmp(char** argv);

}  // namespace kvantage::inline wiring
