# busbw by message size. extra: 1, 2 range of x
xname = "send buffer of a rank, its own block included"
load folder . "/busbw.gp"
