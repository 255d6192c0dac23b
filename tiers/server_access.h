// Server access options when opening a tier, independent of the protocol.
#pragma once

#include <functional>

namespace kvantage::inline tiers {

/// Whether to abort, polled every few milliseconds while waiting. May be empty.
using GiveUp = std::function<bool()>;

/// Origin of a url. One from a user or the command line names a host that the user chose; one from a file
/// (session.json, a recorded run, a plan on a server) may be untrusted.
enum class UrlSource : bool { user, file };

}  // namespace kvantage::inline tiers
