#include <iostream>
import tessera;
using namespace tessera;

int main() {
  // --8<-- [start:values]
  Array<double, 2> degrees{{19.0, 24.5, 15.5}, {20.5, 26.0, 16.0}, {18.0, 23.5, 14.0}, {22.5, 27.0, 18.5}};
  std::cout << "four days, three places:\n" << degrees << '\n';
  // --8<-- [end:values]
  // --8<-- [start:views]
  std::cout << "the second day " << degrees(1, ellipsis) << ", the last place " << degrees(all, -1) << '\n';
  // --8<-- [end:views]

  // --8<-- [start:elements]
  degrees(all, 2) += 0.5;  // that thermometer shows half a degree too little
  degrees(0, 0) = 19.5;    // and this was misread
  // --8<-- [end:elements]
  // --8<-- [start:truth]
  if (any(degrees > 26.5)) std::cout << "one of the days is hot: " << max(degrees) << '\n';
  // --8<-- [end:truth]

  // --8<-- [start:reductions]
  double average = mean(degrees);
  Array<double, 1> of_place = mean<0>(degrees);
  std::cout << "on average " << average << ", by place " << of_place << '\n';
  // --8<-- [end:reductions]

  // --8<-- [start:expressions]
  Array<double, 2> above = degrees - of_place;
  above = where(above > 0, above, 0);
  std::cout << "above the average:\n" << above << '\n';
  // --8<-- [end:expressions]

  // --8<-- [start:fit]
  Array<double, 1> weights = zeros<double>(3);
  Array<double, 1> inside{20.0, 21.5, 18.5, 23.0};
  for (int step = 0; step < 2000; ++step) {
    auto error = dot(degrees, weights) - inside;
    weights = weights - 0.0003 * dot(degrees.T(), error);
  }
  std::cout << "inside, to a tenth: " << round(10 * dot(degrees, weights)) / 10 << '\n';
  // --8<-- [end:fit]
}
