#!/usr/bin/env bash
# Generates into a copy and compares, so that checking never changes the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r go.mod go.sum Makefile examples hack shared manifests third_party "$copy"
make --no-print-directory -C "$copy" generate >/dev/null
for dir in shared/api manifests examples; do
	if ! diff -ru "$dir" "$copy/$dir"; then
		echo "generated files are out of date: run 'make generate' and commit the result" >&2
		exit 1
	fi
done
if unformatted=$(gofmt -l $(git ls-files -co --exclude-standard '*.go' | xargs -r ls -d 2>/dev/null)) && [ -n "$unformatted" ]; then
	printf 'not formatted, run gofmt -w on:\n%s\n' "$unformatted" >&2
	exit 1
fi
