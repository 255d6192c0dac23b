// Notes and tags of a run as JSON, in the database and in run files.
#pragma once

#include "core/base/json_fields.h"
#include "core/ports/run_library.h"

namespace kvantage::inline profiles {

inline constexpr const char* notes_result_name = "notes";  // among the results of a run

}  // namespace kvantage::inline profiles

namespace kvantage {

template <>
struct JsonFields<RunNotes> {
  static constexpr auto list = std::tuple(json_member("text", &RunNotes::text), json_member("tags", &RunNotes::tags));
};

}  // namespace kvantage
