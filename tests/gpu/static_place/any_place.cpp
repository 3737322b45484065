#include "expressions.hpp"

void compute(tessera::Place place) { compute_on(place); }
