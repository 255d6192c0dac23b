// What is imported, in place of what a preset of the simulator has published: the shape stays the preset's.
#pragma once

#include "core/imported/imported_profile.h"
#include "core/imported/ttft_table.h"
#include "core/simulator/presets.h"

namespace kvantage::inline imported {

/// Candidates and quality become those of the profile. A form keeps what the preset knows of its bytes and times; else
/// its bytes are kept_bytes, or the kept share of tokens. rejected_input where a data set lacks its uncompressed
/// quality, and names all methods that remove no tokens and lack kept_bytes.
Status use_profile(SimulatorPreset& preset, const ImportedProfile& profile);

/// Computing and the tiers that the table has become its fits; other tiers stay.
Status use_times(SimulatorPreset& preset, const TtftTable& table);

}  // namespace kvantage::inline imported
