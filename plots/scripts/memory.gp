# Peak memory by sequence length. extra: 1, 2 range of x  3, 4 of y  5... series that have a prediction
low = extra(1) + 0
high = extra(2) + 0
set logscale x 2
set xrange [low:high]
set xtics ()
do for [k = 0:40] {
    t = tic(low, high, k)
    if (t >= low && t <= high) { set xtics add (iec(t) t) }
}
bottom = extra(3) / 1.3
top = extra(4) * 1.3
set logscale y 2
set yrange [bottom:top]
set ytics ()
do for [k = 0:40] {
    t = tic(bottom, top, k)
    if (t >= bottom && t <= top) { set ytics add (iec(t) . "B" t) }
}
set xlabel "global sequence length (tokens)"
set ylabel "peak memory of a rank; thin dotted lines: predicted"
predicted = ""
do for [k = 5:words(arguments)] { predicted = predicted . " " . extra(k) }
plot for [i = 0:n - 1] data index i using 1:2 with linespoints lw 2 ps 1.2 \
         lc rgb colour(i) pt point(i) dt dash(i) title columnheader(1), \
     for [s in predicted] data index int(s) using 1:5 with lines lw 1.5 \
         lc rgb colour(int(s)) dt 3 notitle
