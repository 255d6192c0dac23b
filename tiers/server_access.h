// What opening a tier says about a server, whatever the protocol.
#pragma once

#include <functional>

namespace kvantage {

/// Whether to give up, asked every few milliseconds while waiting. May be empty.
using GiveUp = std::function<bool()>;

/// Who wrote a url. One that a user typed or gave on the command line names a host that the user chose; one from a file
/// (session.json, a recorded run, a plan on a server) may be another's choice.
enum class UrlSource : bool { user, file };

}  // namespace kvantage
