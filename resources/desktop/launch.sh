#!/usr/bin/env bash
# Starts the installed program of the name that this was called by. libtorch is no part of the package: the first start
# fetches it into the user's cache, checked by digest, with the script that ./run uses.
set -euo pipefail
prefix=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
program=$prefix/lib/kvantage/$(basename "$0")
cache=${KVANTAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kvantage}
torch=$cache/libtorch-2.11.0

fetch() { mkdir -p "$cache" && "$prefix/share/kvantage/fetch_libtorch.sh" "$torch"; }
if [ ! -f "$torch/.complete-2.11.0" ]; then
  if [ -t 2 ] || [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || ! command -v zenity >/dev/null; then
    fetch >&2
  else
    # Started from a menu: nobody reads a terminal.
    fetching="Fetching libtorch (530 MB, once) into $torch"
    failed="libtorch could not be fetched, so KVantage cannot start."
    case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in zh_CN* | zh_SG*)
      fetching="正在下载 libtorch（530 MB，仅此一次）到 $torch"
      failed="无法下载 libtorch，因此 KVantage 无法启动。" ;;
    esac
    mkdir -p "$cache"
    fetch >"$cache/fetch.log" 2>&1 &
    worker=$!
    { while kill -0 "$worker" 2>/dev/null; do echo; sleep 1; done; } |
      zenity --progress --pulsate --auto-close --title KVantage \
        --text "$fetching" || kill "$worker" 2>/dev/null || true
    if ! wait "$worker"; then
      zenity --error --title KVantage \
        --text "$failed $(tail -n 1 "$cache/fetch.log")" || true
      exit 1
    fi
  fi
fi
export LD_LIBRARY_PATH=$torch/torch/lib:$torch/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$program" "$@"
