// Expressions on arrays of a place that a source chooses, whose object TestStaticPlace.cmake looks into.
#pragma once
import tessera;

template <class P>
void compute_on(P place) {
  using namespace tessera;
  Array<float, 2, P> a(Dim{4, 8}, place);
  Array<float, 2, P> b(Dim{4, 8}, place);
  Array<float, 1, P> row(Dim{8}, place);
  a(ellipsis) = 1.0f;
  b = 2 * a + exp(row);
  b += a;
  row = sum<0>(b * b);
  b = softmax<1>(a + b);
  b = dot(a, Array<float, 2, P>(Dim{8, 8}, place)) + row;
  const auto value = evaluate(max(a - b));
}
