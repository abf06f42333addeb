#!/usr/bin/env bash
# Commands that read saved records: what they say of files that they cannot use. Starts no ranks.
#
#   records.sh SPBENCH     (absolute path)
set -u
spbench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# refused COMMAND WORDS...: exit code 2, nothing on stdout, and stderr has all words.
refused() {
    local command=$1 word code
    shift
    "$spbench" $command >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq 2 ] && [ ! -s "$work/out" ] || set -- "$@" "exit code 2 and silence, not $code"
    for word in "$@"; do
        grep -qF -e "$word" "$work/err" && continue
        failures=$((failures + 1))
        echo "FAILED: $command: $word"
        sed 's/^/  stderr: /' "$work/err"
    done
}

# A run that ended before its first record.
mkdir "$work/empty"
: >"$work/empty/records.jsonl"
refused "report $work/empty" "$work/empty holds no record"

# One whose second record is not as docs/record.md says.
mkdir "$work/odd"
record='{"schema":"spbench.record/1","kind":"attn","case":"attn","params":{},"metrics":{METRICS}}'
printf '%s\n' "${record/METRICS/}" "${record/METRICS/\"comm_only_s\":\"x\"}" >"$work/odd/records.jsonl"
for command in "report $work/odd" "compare $work/odd $work/odd" "plot $work/odd"; do
    refused "$command" "$work/odd/records.jsonl:2: field metrics.comm_only_s must be a finite number"
done

[ "$failures" -eq 0 ] && echo "all passed"
exit $((failures > 0))
