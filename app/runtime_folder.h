// Where Qt and the libraries below it keep sockets and locks while the window is open.
#pragma once

namespace kvantage {

/// Sets XDG_RUNTIME_DIR to a private folder in the cache (mode 0700) where it names none: Qt would take one of a name
/// that anybody can foresee, in /tmp, and say so on stderr. Without a cache folder nothing is set. Call before
/// QApplication, and before there are threads.
void name_runtime_folder();

}  // namespace kvantage
