// Atomic changes of a remote store, as scripts: a server runs each of them alone, and logs its writes as one
// transaction. Those that free memory start with an HDEL: a server at its memory limit rejects a script whose first
// write may need more.
#pragma once

namespace kvantage::redis_scripts {

/// The number of the next version where a server may be replaced by one that misses the latest writes: not below the
/// server's time in microseconds, so that no number is given twice. KEYS sequence. Returns it.
inline constexpr const char* next_sequence = R"(
local time = redis.call('TIME')
local next = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last and last >= next then next = last + 1 end
redis.call('SET', KEYS[1], string.format('%.0f', next))
return next
)";

/// Makes a version visible. KEYS unfinished index headers holders changes; ARGV key, sequence, index text, header,
/// workbench, its text in `unfinished`, time in microseconds. Returns the index text of the replaced version, or
/// nothing; an error when a newer one exists or its chunks have been swept.
inline constexpr const char* commit = R"(
local version = ARGV[1] .. ':' .. ARGV[2]
if redis.call('HGET', KEYS[1], version) ~= ARGV[6] then return redis.error_reply('KVSWEPT') end
local old = redis.call('HGET', KEYS[2], ARGV[1])
if old then
  local sequence, chunks = string.match(old, '^(%d+) %d+ (%d+)$')
  if not sequence then old = false
  elseif tonumber(sequence) >= tonumber(ARGV[2]) then return redis.error_reply('KVNEWER')
  else
    redis.call('HSET', KEYS[1], ARGV[1] .. ':' .. sequence, ARGV[5] .. ' ' .. chunks)
    redis.call('HDEL', KEYS[4], ARGV[1] .. ':' .. sequence)
  end
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
redis.call('HSET', KEYS[4], version, ARGV[5])
redis.call('HDEL', KEYS[1], version)
if redis.call('EXISTS', KEYS[5]) == 0 then redis.call('SET', KEYS[5], ARGV[7]) end
redis.call('INCR', KEYS[5])
return old
)";

/// Adds a holder to a visible version. KEYS index holders; ARGV key, sequence, index text, workbench. Returns 1, or 0
/// when another version is there now.
inline constexpr const char* hold = R"(
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[3] then return 0 end
local version = ARGV[1] .. ':' .. ARGV[2]
local holders = redis.call('HGET', KEYS[2], version) or ''
for id in string.gmatch(holders, '%S+') do if id == ARGV[4] then return 1 end end
redis.call('HSET', KEYS[2], version, holders .. ' ' .. ARGV[4])
return 1
)";

/// Removes a version from the index. While other live workbenches hold it, it stays for them, unless forced (its bytes
/// are corrupt). KEYS unfinished index headers holders changes workbenches; ARGV key, sequence, workbench, forced, time
/// in microseconds. Returns 1 when its chunks may be removed now, 0 when there is nothing to do.
inline constexpr const char* erase = R"(
local version = ARGV[1] .. ':' .. ARGV[2]
local old = redis.call('HGET', KEYS[2], ARGV[1])
local chunks = old and string.match(old, '^' .. ARGV[2] .. ' %d+ (%d+)$')
if not chunks then return redis.call('HEXISTS', KEYS[1], version) end
if ARGV[4] ~= '1' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local others = ''
  for id in string.gmatch(redis.call('HGET', KEYS[4], version) or '', '%S+') do
    if id ~= ARGV[3] and tonumber(redis.call('ZSCORE', KEYS[6], id) or '0') > now then others = others .. ' ' .. id end
  end
  if others ~= '' then
    redis.call('HSET', KEYS[4], version, others)
    return 0
  end
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[1], version, ARGV[3] .. ' ' .. chunks)
redis.call('HDEL', KEYS[4], version)
if redis.call('EXISTS', KEYS[5]) == 0 then redis.call('SET', KEYS[5], ARGV[5]) end
redis.call('INCR', KEYS[5])
return 1
)";

/// Starts or extends a lease. KEYS workbenches; ARGV workbench, milliseconds.
inline constexpr const char* lease = R"(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 86400000)
return redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
)";

/// Takes over chunks of a dead workbench. KEYS unfinished workbenches; ARGV version, its text, workbench. Returns 1
/// when the caller may remove them.
inline constexpr const char* claim = R"(
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
local owner, chunks = string.match(ARGV[2], '^(%S+) (%d+)$')
if owner then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if tonumber(redis.call('ZSCORE', KEYS[2], owner) or '0') > now then return 0 end
end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. (chunks or '1'))
return 1
)";

/// Whether an orphaned chunk belongs to nobody; then returns 1. KEYS index unfinished; ARGV key, sequence, version.
inline constexpr const char* lost = R"(
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1 then return 0 end
local now = redis.call('HGET', KEYS[1], ARGV[1])
if now and string.match(now, '^(%d+) ') == ARGV[2] then return 0 end
return 1
)";

}  // namespace kvantage::redis_scripts
