#!/usr/bin/env bash
# What `cmake --install` and `cpack -G DEB` bring, used from where it was put.
#
#   install.sh BUILD_DIR CMAKE CPACK     (absolute paths)
set -u
build=$1 cmake=$2 cpack=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SPBENCH_DATA_DIR
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    tail -n 20 "$work/out" "$work/err" 2>/dev/null
}

run() {
    timeout 120 "$@" >"$work/out" 2>"$work/err" </dev/null || complain "exit code $? of: $*"
}

# A program and its data below a folder.
check_tree() {
    local tree=$1 spbench=$1/bin/spbench share=$1/share
    run "$spbench" info
    grep -q "^data_dir *$tree/share/spbench$" "$work/out" || complain "it does not use the installed data"
    run "$spbench" --list
    grep -q '^  .*llama-3.1-8b.*tiny' "$work/out" || complain "it does not find its models"
    run "$spbench" suite quick --dry-run
    run "$spbench" -n 2 attn --model tiny --seq 64 --max-time 50ms --max-warmup 10ms --link-rates off --save "$tree.run"
    run "$spbench" plot "$tree.run"
    ls "$tree.run"/plots/*.png >/dev/null || complain "there is no picture"

    grep -q '^.TH "spbench" 1' "$share/man/man1/spbench.1" || complain "there is no man page"
    grep -q 'max\\-time' "$share/man/man1/spbench.1" || complain "the man page knows no options"
    if command -v man >/dev/null; then
        run man --warnings -l "$share/man/man1/spbench.1"
        [ ! -s "$work/err" ] || complain "the man page is not clean"
    fi
    run bash -c '. "$1" && complete -p spbench' - "$share/bash-completion/completions/spbench"
    [ -s "$share/doc/spbench/copyright" ] || complain "there is no licence"
}

run "$cmake" --install "$build" --prefix "$work/prefix"
check_tree "$work/prefix"
mv "$work/prefix" "$work/elsewhere"
check_tree "$work/elsewhere"

for tool in dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null && continue
    echo "there is no $tool (packages dpkg-dev, file): no DEB is made"
    exit $((failures > 0 ? 1 : 77))
done
run "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/package"
run dpkg-deb -x "$work"/package/spbench_*.deb "$work/root"
check_tree "$work/root/usr"
run dpkg-deb -f "$work"/package/spbench_*.deb Depends
for library in libc6 libhwloc15 libjansson4 libopenblas0 'lib\(open\)\?mpi' libxml2; do
    grep -q "$library" "$work/out" || complain "the DEB does not depend on $library"
done
run dpkg-deb -f "$work"/package/spbench_*.deb Recommends
for program in gnuplot '\(mpich\|openmpi-bin\)'; do
    grep -q "$program" "$work/out" || complain "the DEB does not recommend $program"
done

exit $((failures > 0))
