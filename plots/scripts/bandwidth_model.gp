# busbw of model-shaped exchanges by what a rank sends. extra: 1, 2 range of x
xname = "bytes that a rank sends"
load folder . "/busbw.gp"
