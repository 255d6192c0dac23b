// Scorers of files: rows that are added to the table of scorers.inl while the program runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/compress/scorers/scorer.h"
#include "core/ports/scorer_host.h"

namespace kvantage::inline scorers {

/// Adds a row for the rest of the process; of an alias that is there, the newest row counts. Any thread.
void add_file_scorer(std::shared_ptr<ScorerHost> host);
/// In the order in which they were added, one per name.
std::vector<std::shared_ptr<ScorerHost>> file_scorers();
/// By name or alias; null: none is loaded.
std::shared_ptr<ScorerHost> find_file_scorer(std::string_view name);
/// Whether a name has the form of a file's, an alias and the digits of a digest: its file may not be loaded.
bool names_file_scorer(std::string_view name);
/// Refuses a name of that form: "method 'x_0123456789': its file is not loaded; ...".
tl::unexpected<Error> file_not_loaded(std::string_view name);

std::unique_ptr<Scorer> make_file_scorer(std::shared_ptr<ScorerHost> host);
/// In place of one that is not loaded: every call is file_not_loaded().
std::unique_ptr<Scorer> make_unloaded_scorer(std::string name);

}  // namespace kvantage::inline scorers
