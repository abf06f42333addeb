#!/usr/bin/env bash
# Whether the sources are built as tests/structure/rules.txt says, and whether no part of them needs itself:
# what a newcomer must know to change one thing is then below that thing. Lists every fault, one a line.
#
#   check.sh ROOT RULES OBJECTS   the source tree, the rules, a file that lists the product's .o files
set -euo pipefail
export LC_ALL=C
[ $# -eq 3 ] || {
    echo "usage: check.sh ROOT RULES OBJECTS" >&2
    exit 2
}
cd "$1"
shopt -s nullglob
rules=$2 objects=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of awk programs: what the rules say, section by section.
read_rules='
    FILENAME == RULES {
        sub(/#.*/, "")
        if (/^\[/)
            section = $1
        else if (NF && section == "[includes]") {
            if (!/^ /)
                row = substr($1, 1, length($1) - 1)
            rows[row] = rows[row] " " $0
            sub(/^ [^ ]+:/, "", rows[row])
        } else if (NF && section == "[mpi]") {
            for (i = 1; i <= NF; i++)
                sees_mpi[$i]
        } else if (NF > 1 && section == "[large]") {
            sub(/:$/, "", $1)
            large[$1]
        }
        next
    }
    # Does a name of the rules stand for this folder? "comm/": comm and all below it.
    function stands_for(name, folder) {
        return name == folder || (name ~ /\/$/ && index(folder "/", name) == 1)
    }
    function folder_of(file) {
        sub(/\/[^\/]*$/, "", file)
        return file
    }'
with_rules() {
    awk -v RULES="$rules" "$read_rules $1" "$rules" "${@:2}"
}

# circles WHAT FILE: a line for every circle in the file's lines "A B [WHY]": A needs B, for instance WHY.
circles() {
    cut -d ' ' -f 1,2 "$2" | sort -u | { tsort 2>&1 >/dev/null || true; } | awk -v WHAT="$1" '
        FILENAME != "-" {
            if ($3 != "")
                why[$1, $2] = " (" $3 ")"
            next
        }
        / input contains a loop:$/ { flush(); next }
        {
            if (n)
                way = way " -> " $2 why[last, $2]
            else
                first = way = $2
            last = $2
            n++
        }
        END { flush() }
        function flush() {
            if (n)
                print first ": " WHAT ": " way " -> " first why[last, first]
            n = 0
        }' "$2" -
}

# The product's sources: all in folders that are built, tests apart.
list_sources() {
    local lists=(*/CMakeLists.txt)
    find "${lists[@]%/CMakeLists.txt}" -name '*.[ch]' ! -path 'tests/*' | sort
}

# "FILE INCLUDED" for every include: a path from the root, or <NAME>.
list_includes() {
    xargs awk '/^[ \t]*#[ \t]*include[ \t]*["<]/ {
        split($0, part, /["<>]/)
        print FILENAME, (/</ ? "<" part[2] ">" : part[2])
    }' <"$work/sources"
}

# Folders include what their rows allow.
check_includes() {
    with_rules '
        $2 !~ /</ {
            folder = folder_of($1)
            to = $2 in rows ? $2 : folder_of($2)
            if (to != folder && !allowed(folder, to) && !allowed($1, to))
                print $1 ": includes " $2 ", but " folder " may not include " to
        }
        function allowed(row, to,    names, n, i) {
            n = row in rows ? split(rows[row], names) : 0
            for (i = 1; i <= n; i++)
                if (stands_for(names[i], to))
                    return 1
            return 0
        }' "$work/includes"
}

# The rows, and so the folders, make no circle. A file with a row of its own is apart from its folder.
check_rows() {
    with_rules '
        END {
            for (row in rows) {
                print row, row
                n = split(rows[row], names)
                for (i = 1; i <= n; i++)
                    for (other in rows)
                        if (other != row && stands_for(names[i], other))
                            print row, other
                if (row ~ /\.[ch]$/)
                    print row, folder_of(row)
            }
        }' >"$work/rows"
    circles "circle of folders" "$work/rows"
    with_rules '
        { there[$1]; folders[folder_of($1)] }
        END {
            for (folder in folders)
                if (!(folder in rows))
                    print folder ": has no row in the rules"
            for (row in rows) {
                if (!(row in there) && !(row in folders))
                    print row ": has a row in the rules and no files"
                n = split(rows[row], names)
                for (i = 1; i <= n; i++) {
                    found = 0
                    for (other in rows)
                        found += stands_for(names[i], other)
                    if (!found)
                        print row ": may include " names[i] ", which has no row in the rules"
                }
            }
        }' "$work/sources"
}

# Headers include none that leads back to them.
check_headers() {
    awk '$1 ~ /\.h$/ && $2 ~ /\.h$/' "$work/includes" >"$work/headers"
    circles "circle of headers" "$work/headers"
}

# No object needs a symbol of another that needs one of its own, be it by way of others.
check_symbols() {
    xargs nm -A -P <"$objects" | awk -v SOURCES="$work/sources" -v STRANGE="$work/strange" '
        BEGIN {
            printf "" >STRANGE
            while ((getline line <SOURCES) > 0)
                known[line]
        }
        # build/attn/CMakeFiles/spb_attn.dir/layer/layer.c.o: -> attn/layer/layer.c
        function source_of(object) {
            gsub(/\/CMakeFiles\/[^\/]*\.dir\//, "/", object)
            gsub(/\/\.\//, "/", object)
            sub(/\.o:$/, "", object)
            while (!(object in known) && sub(/^[^\/]*\//, "", object))
                ;
            return object
        }
        {
            source = $1 in cache ? cache[$1] : cache[$1] = source_of($1)
            if (!(source in known))
                strange[source]
            if ($3 == "U")
                needs[source " " $2]
            else if ($3 ~ /[A-TV-Z]/)
                owner[$2] = source
        }
        END {
            for (source in strange)
                print source ": is an object of no source" >STRANGE
            for (need in needs) {
                split(need, part, " ")
                if (part[2] in owner && owner[part[2]] != part[1])
                    print part[1], owner[part[2]], part[2]
            }
        }' | sort >"$work/units"
    cat "$work/strange"
    circles "circle of translation units" "$work/units"
}

# A type name is defined in one header.
check_types() {
    grep '\.h$' "$work/sources" | xargs awk '
        match($0, /(struct|union|enum) [A-Za-z0-9_]+ *\{/) {
            split(substr($0, RSTART, RLENGTH), part, /[ {]+/)
            if (part[2] in first && first[part[2]] != FILENAME)
                print FILENAME ": defines " part[1] " " part[2] ", as " first[part[2]] " does"
            else
                first[part[2]] = FILENAME
        }'
}

# No way leads to mpi.h but from the folders that may see it.
check_mpi() {
    with_rules '
        { includes[$1] = includes[$1] " " $2; files[$1] }
        function way(file,    names, n, i, rest) {
            if (file in ways)
                return ways[file]
            ways[file] = ""
            n = split(includes[file], names)
            for (i = 1; i <= n && ways[file] == ""; i++)
                if (names[i] == "<mpi.h>")
                    ways[file] = file
                else if ((rest = way(names[i])) != "")
                    ways[file] = file " -> " rest
            return ways[file]
        }
        END {
            for (file in files)
                if (!(folder_of(file) in sees_mpi) && way(file) != "")
                    print file ": sees mpi.h, which " folder_of(file) " may not: " way(file)
        }' "$work/includes"
}

# Files that comments and documents speak of are there.
check_mentions() {
    local documents=(*.md docs/*.md)
    { cat "$work/sources" && printf '%s\n' "${documents[@]}"; } | xargs awk -v SOURCES="$work/sources" '
        BEGIN {
            while ((getline line <SOURCES) > 0) {
                there[line]
                sub(/\/.*/, "", line)
                folders[line]
            }
        }
        /^[ \t]*#[ \t]*include/ { next }
        {
            while (match($0, /[a-z]+\/[A-Za-z0-9_\/]*\.[ch]([^A-Za-z0-9_]|$)/)) {
                name = top = substr($0, RSTART, RLENGTH)
                sub(/[^ch]$/, "", name)
                sub(/\/.*/, "", top)
                if (top in folders && !(name in there) && name !~ /[A-Z]/)
                    print FILENAME ": speaks of " name ", which is not there"
                $0 = substr($0, RSTART + RLENGTH)
            }
        }'
}

# Folders are small enough to be read at a glance.
check_sizes() {
    with_rules '
        { count[folder_of($1)]++ }
        END {
            for (folder in count) {
                if (count[folder] > 15 && !(folder in large))
                    print folder ": has " count[folder] " files, more than 15, and no reason for it in the rules"
                if (count[folder] <= 15 && folder in large)
                    print folder ": has " count[folder] " files, which needs no reason in the rules"
            }
        }' "$work/sources"
}

list_sources >"$work/sources"
list_includes >"$work/includes"
{
    check_includes
    check_rows
    check_headers
    check_symbols
    check_types
    check_mpi
    check_mentions
    check_sizes
} | sort -u >"$work/faults"
cat "$work/faults"
[ ! -s "$work/faults" ]
