#!/usr/bin/env bash
# What a newcomer does first, on a machine that has nothing: in a minimal Debian of its own each block of
# README.md that takes minutes (scripts/quickstart; the steps by hand), and then its other examples.
# Takes root, debootstrap and a mirror, and a quarter of an hour; 77 where it cannot run.
#
#   fresh.sh SOURCE_DIR [MIRROR]     (debootstrap knows one)
set -u
source=$(realpath "$1")

skip() {
    echo "fresh.sh: $1; skipped"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "it takes root to make a root file system"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
unshare --mount true 2>/dev/null || skip "namespaces cannot be made; is this a container without CAP_SYS_ADMIN?"
work=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
debootstrap --variant=minbase bookworm "$work/pristine" "${@:2}" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log"
    skip "debootstrap cannot make a Debian"
}

# enter COMMAND: in the source tree of the fresh root. Its mounts are in no other namespace.
enter() {
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" &&
            exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -ec "cd /root/spbench; $2"
    ' - "$work/root" "$1" </dev/null
}

failures=0
for what in 'scripts/quickstart' 'scripts/install-deps'; do
    cp -a "$work/pristine" "$work/root"
    cp /etc/resolv.conf "$work/root/etc/"
    mkdir "$work/root/root/spbench"
    (cd "$source" && git ls-files -z | xargs -0 tar c) | tar x -C "$work/root/root/spbench"
    # The block that begins so.
    awk -v first="$what" '/^```/ { inside = 0 } inside; /^```sh$/ { getline; if ($0 == first) { inside = 1; print } }' \
        "$source/README.md" >"$work/root/steps"
    echo "== $what"
    enter ". /steps; ./spbench --version" || failures=$((failures + 1))
    [ "$what" = scripts/quickstart ] || enter 'tests/newcomer/readme.sh "$PWD" "$PWD/build/release"' || failures=$((failures + 1))
    rm -rf --one-file-system "$work/root"
done
exit $((failures > 0))
