#!/usr/bin/env bash
# Usage: cmake/changed_sources.sh [MAX]
# Prints the C++ sources below core, tiers, profiles, app and ui that changed since a base, most recently changed first,
# at most MAX of them (default: all). A header counts as the source of its name; one without a source is not listed. On
# standard error: what the base is, and how many were left out. The base is
#   KVANTAGE_LINT_BASE, if set;
#   else the last commit that HEAD shares with origin/main, unless that is HEAD itself;
#   else the commit before HEAD.
# Without a base (a shallow clone of one commit) nothing is printed.
set -euo pipefail

max=${1:-1000000}
commit() { git rev-parse -q --verify "$1^{commit}" 2>/dev/null; }

base=
head=$(commit HEAD) || { echo "no commit yet: nothing to compare with" >&2; exit 0; }
if [ -n "${KVANTAGE_LINT_BASE:-}" ]; then
  name=$KVANTAGE_LINT_BASE
  base=$(commit "$name") || { echo "$name is not in this clone: nothing to compare with" >&2; exit 0; }
else
  name="the last commit shared with origin/main"
  if [ -n "$(commit origin/main || true)" ]; then base=$(git merge-base origin/main HEAD 2>/dev/null || true); fi
  if [ -z "$base" ] || [ "$base" = "$head" ]; then
    name=HEAD~1
    base=$(commit HEAD~1) || { echo "HEAD~1 is not in this clone: nothing to compare with" >&2; exit 0; }
  fi
fi
echo "changed since $name ($(git rev-parse --short "$base"))" >&2

sources=('*.cpp' '*.h' ':!gpu' ':!tests')
as_sources() { sed 's/\.h$/.cpp/'; }
# What is not committed yet, then commit by commit; a file that is gone or as it was before is not listed.
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- "${sources[@]}" | as_sources)
declare -A wanted=()
for file in "${changed[@]}"; do [ ! -f "$file" ] || wanted[$file]=1; done
count=0
while read -r file; do
  [ -n "$file" ] && [ -n "${wanted[$file]:-}" ] || continue
  unset "wanted[$file]"
  count=$((count + 1))
  [ "$count" -le "$max" ] && echo "$file"
done < <(git diff --name-only HEAD -- "${sources[@]}" | as_sources
         git log --format= --name-only "$base..HEAD" -- "${sources[@]}" | as_sources
         printf '%s\n' "${changed[@]}")
if [ "$count" -gt "$max" ]; then
  echo "$((count - max)) of $count changed sources are left out, those changed longest ago;" \
    "--all reads all of them" >&2
fi
