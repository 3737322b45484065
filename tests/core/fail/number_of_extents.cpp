// A static shape takes as many extents as it has axes.
// expect: Dim<2>
// expect: sizeof...\(Extent\) == Rank
import tessera;

tessera::Dim<2> fine{1, 2};
tessera::Dim<2> wrong{1, 2, 3};
