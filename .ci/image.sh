#!/usr/bin/env bash
# Builds the Containerfile's image without a registry and uses paperlake in it. Python from Debian's packages stands in for
# python:3.12-slim; all after FROM is done as the Containerfile says.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ] || ! command -v buildah > /dev/null || ! command -v mmdebstrap > /dev/null; then
    echo "no image built: that needs root, buildah and mmdebstrap"
    exit 0
fi

work=$(mktemp -d)
buildah=(buildah --root "$work/images" --runroot "$work/running")
clean() {
    "${buildah[@]}" rm --all > /dev/null
    rm -rf --one-file-system "$work" > /dev/null 2>&1 & # takes up to a minute, for which nobody need wait
}
trap clean EXIT

quietly() {
    "$@" > "$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
}

quietly mmdebstrap --mode=root --variant=extract --include=base-files,coreutils,dash,libstdc++6,python3-pip \
    --dpkgopt='path-exclude=/usr/lib/python3*/EXTERNALLY-MANAGED' --dpkgopt='path-exclude=/usr/share/doc/*' \
    bookworm "$work/base.tar"
echo -e 'FROM scratch\nADD base.tar /' > "$work/Base"
quietly "${buildah[@]}" build --tag base --file "$work/Base" "$work"
settings=(--volume /etc/ssl/certs:/etc/ssl/certs:ro)
[ ! -e /etc/pip.conf ] || settings+=(--volume /etc/pip.conf:/etc/pip.conf:ro)
quietly "${buildah[@]}" build --isolation chroot --network host --from localhost/base "${settings[@]}" --tag paperlake .

container=$("${buildah[@]}" from paperlake)
paperlake() {
    "${buildah[@]}" run --isolation chroot --volume "$PWD/examples:/lists:ro" "$container" -- paperlake "$@"
}
paperlake --version
paperlake mirror import arxiv --part starter/arxiv-starter.jsonl
paperlake refresh --offline lists || test $? = 1 # the bundled papers are not all that the lists name
paperlake check --offline lists
