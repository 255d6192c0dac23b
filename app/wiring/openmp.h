// libgomp reads its environment when loaded, before main(): later changes have no effect.
#pragma once

namespace kvantage::inline wiring {

/// Sets a GOMP_SPINCOUNT of 10,000, some 0.2 ms: the next product of a step comes within microseconds, while waking a
/// thread takes tens of them, and idle workers still sleep and leave their cores to the window and the tiers. With
/// OMP_WAIT_POLICY=active, because otherwise workers do not spin at all once there are more of them than cores, as
/// where two sessions are open. Then re-executes the program with the same arguments, unless the policy is already
/// set. Call first in main().
void restart_with_short_spins(char** argv);

}  // namespace kvantage::inline wiring
