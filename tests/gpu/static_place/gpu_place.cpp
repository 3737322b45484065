#include "expressions.hpp"

void compute(tessera::GpuPlace place) { compute_on(place); }
