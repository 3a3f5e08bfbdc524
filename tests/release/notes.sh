#!/usr/bin/env bash
# Prints the section of a version in CHANGELOG.md, for the notes of its release.
# Usage: tests/release/notes.sh 1.0.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=${1:?expected a version such as 1.0.0}
notes=$(awk -v heading="## [$version]" '
  /^## / { inside = index($0, heading) == 1; next }
  inside { print }
' CHANGELOG.md | sed -e '/./,$!d')
if [[ -z $notes ]]; then
  echo "error: CHANGELOG.md has no text under '## [$version]'" >&2
  exit 1
fi
printf '%s\n' "$notes"
