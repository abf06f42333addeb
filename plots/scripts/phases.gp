# Time by phase, stacked. Series: one a class of phases, rows "x low high"; then one index of bars
# "x name top total" and one of groups "x name". extra: 1, 2 range of x  3 unit of time  4 top of y
# 5 degrees that names are turned by
top = extra(4) + 0
set xrange [extra(1) + 0:extra(2) + 0]
set yrange [0:top * 1.15]
set ylabel "median time of an iteration (" . extra(3) . "), slowest rank"
set grid noxtics
if (extra(5) eq "0") { set xtics scale 0 } else { set xtics rotate by 30 right scale 0 }
set style fill solid 1.0 border rgb "#ffffff"
plot for [i = 0:n - 1] data index i using 1:2:($1 - 0.45):($1 + 0.45):2:3 with boxxyerror \
         lc rgb colour(i) lw 0.5 title columnheader(1), \
     data index n using 1:(0):xtic(2) with points pt -1 notitle, \
     data index n using 1:3:4 with labels center offset 0,0.6 font ",11" notitle, \
     data index n + 1 using 1:(top * 1.11):2 with labels center notitle
