// A static shape takes as many extents as it has axes.
// expect first: one extent for each axis: Dim{2, 3} for rank 2
import tessera;

tessera::Dim<2> fine{1, 2};
tessera::Dim<2> wrong{1, 2, 3};
