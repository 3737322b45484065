#include <iostream>
import tessera;
using namespace tessera;

int main() {
  Array<double, 2> degrees{{19.0, 24.5, 15.5}, {20.5, 26.0, 16.0}, {18.0, 23.5, 14.0}, {22.5, 27.0, 18.5}};
  std::cout << "four days, three places:\n" << degrees << '\n';
  std::cout << "on the second day " << degrees(1, ellipsis) << ", at the last place " << degrees(all, -1) << '\n';

  degrees(all, 2) += 0.5;  // that thermometer shows half a degree too little
  if (any(degrees > 26.5)) std::cout << "one of the days is hot: " << max(degrees) << '\n';

  double average = mean(degrees);
  Array<double, 1> of_place = mean<0>(degrees);
  std::cout << "on average " << average << ", by place " << of_place << '\n';

  Array<double, 2> change = degrees - of_place;
  change = where(change > 0, change, 0);
  std::cout << "above the average:\n" << change << '\n';

  Array<double, 1> weights = zeros<double>(3);
  Array<double, 1> inside{20.0, 21.5, 18.5, 23.0};
  for (int step = 0; step < 2000; ++step) {
    auto error = dot(degrees, weights) - inside;
    weights = weights - 0.0003 * dot(degrees.T(), error);
  }
  std::cout << "inside, to a tenth: " << round(10 * dot(degrees, weights)) / 10 << '\n';
}
