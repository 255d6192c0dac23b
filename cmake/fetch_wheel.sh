# shellcheck shell=bash
# To be sourced: how a wheel of PyPI comes here, for this processor, whole, and by its digest.

# fetch_wheel "NAME==VERSION" FILE SHA256 FOLDER: FILE in FOLDER, downloaded without what it depends on, and its size
# told. One that is there already and whole is kept. 1: a line on the error stream says what is wrong and how to mend
# it.
fetch_wheel() {
  local requirement=$1 file=$2 digest=$3 folder=$4
  whole() { echo "$digest  $folder/$file" | sha256sum --check --status - 2>/dev/null; }
  if ! whole; then
    rm -f "${folder:?}/$file"
    python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 311 --implementation cp \
      --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 \
      --platform manylinux_2_18_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
      --platform manylinux_2_12_x86_64 --platform manylinux2010_x86_64 --platform manylinux_2_5_x86_64 \
      --platform manylinux1_x86_64 --dest "$folder" "$requirement" || {
        echo "error: $requirement could not be downloaded: is PyPI reachable? Run ./run again when it is." >&2
        return 1; }
    whole || {
      echo "error: $file does not have the expected sha256: the download is damaged or was replaced." \
        "Delete $folder and run again." >&2
      return 1; }
  fi
  echo "   $requirement ($(($(stat -c %s "$folder/$file") / 1000000)) MB)"
}
