# What every picture shares. Arguments (gnuplot passes nine at most):
#   1 script folder  2 picture  3 png|svg  4 output file  5 data file  6 title
#   7 colours  8 line styles (one number a series each)  9 words that the picture's script explains
folder = ARG1
picture = ARG2
data = ARG5
colours = ARG7
styles = ARG8
n = words(colours)
arguments = ARG9
extra(i) = word(arguments, i)

# Text is shown as it stands: no markup.
if (ARG3 eq "svg") {
    set terminal svg size 1400,900 noenhanced font "DejaVu Sans,Helvetica,sans-serif,15" background "#ffffff"
} else {
    if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
        set terminal pngcairo size 1400,900 noenhanced font "DejaVu Sans,13" background "#ffffff"
    } else {
        set terminal png size 1400,900 noenhanced
    }
}
set output ARG4

# Okabe and Ito's palette, told apart with every common colour blindness; and two greys as far from its colours in lightness.
palette = "#000000 #0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #F0E442 #555555 #DDDDDD"
colour(i) = word(palette, 1 + int(word(colours, i + 1)))
style(i) = 1 + int(word(styles, i + 1))
point(i) = word("7 5 9 13 6 4 8 12", 1 + (style(i) - 1) % 8) + 0
# Dotted is kept for what is predicted.
set dashtype 11 (1, 0)
set dashtype 12 (16, 7)
set dashtype 13 (20, 6, 3, 6)
set dashtype 14 (7, 5)
set dashtype 15 (20, 6, 3, 6, 3, 6)
dash(i) = 11 + (style(i) - 1) % 5

# Powers of 1024 with their IEC prefix (gnuplot's own %B writes "ki").
log2(x) = log(x) / log(2)
prefix(x) = int(floor((log2(x) + 1e-9) / 10))
iec(x) = x < 1024 ? sprintf("%.4g ", x) : \
    sprintf("%.4g %si", x / 1024.0 ** prefix(x), word("K M G T P E", prefix(x)))
# Tics for a logarithmic axis from low to high: nine at most, finer ones within less than two octaves.
parts(low, high) = log2(high / low) < 2 ? 4 : 1
octaves(low, high) = int(ceil(log2(high / low) / 9.0))
tic(low, high, k) = 2.0 ** (ceil(log2(low)) - (parts(low, high) > 1) + octaves(low, high) * (k / parts(low, high))) * \
    (1 + (k % parts(low, high)) / (1.0 * parts(low, high)))

set datafile missing "NaN"
set bars 0.6
set title ARG6
set grid lc rgb "#d0d0d0" lw 1
set border 3 lw 1
set tics nomirror out
set key outside right top vertical reverse Left samplen 3 spacing 1.2

load folder . "/" . picture . ".gp"
set output
