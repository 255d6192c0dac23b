#!/bin/sh
# under_xvfb.sh PROGRAM [ARGUMENTS...]: on an X server of its own, 1280 x 800, without a window manager. Exit code 77:
# what that needs is not installed, nothing ran.
set -u
for tool in xvfb-run xauth; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "skipped: $tool is not installed (Debian packages xvfb and xauth; ./run test installs them)"
    exit 77
  fi
done
# Over what ctest sets for tests without a display; the theme of whoever's desktop this is would change sizes.
export QT_QPA_PLATFORM=xcb QT_QPA_PLATFORMTHEME=generic
exec xvfb-run -a -e /dev/stderr -s '-screen 0 1280x800x24 -dpi 96' "$@"
