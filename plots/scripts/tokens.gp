# tokens/s by sequence length. extra: 1, 2 range of x
low = extra(1) + 0
high = extra(2) + 0
set logscale x 2
set xrange [low:high]
set xtics ()
do for [k = 0:40] {
    t = tic(low, high, k)
    if (t >= low && t <= high) { set xtics add (iec(t) t) }
}
set xlabel "global sequence length (tokens)"
set yrange [0:*]
set ylabel "tokens/s, all ranks, median and 95% CI"
plot for [i = 0:n - 1] data index i using 1:2:3:4 with yerrorbars lw 1.5 ps 0 \
         lc rgb colour(i) notitle, \
     for [i = 0:n - 1] data index i using 1:2 with linespoints lw 2 ps 1.2 \
         lc rgb colour(i) pt point(i) dt dash(i) title columnheader(1)
