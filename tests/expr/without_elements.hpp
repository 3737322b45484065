// Functions called with arrays without storage, default-constructed and moved-from, of rank 0 to 2, and what comes of it in a word.
#pragma once
#include "support.hpp"

#include <stdexcept>

namespace support {

/// Default-constructed, moved-from, and a view of each.
template <class T, int Rank>
std::vector<Array<T, Rank>> without_storage() {
  Array<T, Rank> moved_from = zeros<T>(Dim<Rank>());
  const Array<T, Rank> taken = std::move(moved_from);
  std::vector<Array<T, Rank>> arrays{Array<T, Rank>(), moved_from};
  if constexpr (Rank > 0) {
    arrays.push_back(arrays[0](ellipsis));
    arrays.push_back(arrays[1].T());
  }
  return arrays;
}

/// What a call comes to: "empty", the text of a value, or a refusal that says that there is no storage, or that there are no elements.
template <class Call>
std::string outcome(const Call& call) {
  try {
    const auto result = call();
    if constexpr (Operand<decltype(result)>) {
      const auto values = evaluate(result);
      return values.rank > 0 && values.size() == 0 ? "empty" : to_string(values);
    } else {
      return std::string(result);
    }
  } catch (const std::logic_error& error) {
    const std::string message = error.what();
    for (const char* const reason : {"storage", "() has 0 elements"})
      if (contains(message, reason)) return "no storage";
    if (contains(message, "out of range for rank 0")) return "no axis";
    for (const char* const reason :
         {"empty", "no elements", "extent 0", "has 0", " 0 elements", "(0,", " 0)", "0 and 1"})
      if (contains(message, reason)) return "nothing";
    return message;
  }
}

struct Wanted {
  std::string scalar, vector, matrix;  // "" where there is no such function
};
inline const Wanted elementwise{"no storage", "empty", "empty"};

/// Calls `call` with arrays without storage of each rank that it takes.
template <class T, int Rank, class Call>
void check_rank(const std::string& name, const std::string& wanted, const Call& call) {
  constexpr bool is_there = std::is_invocable_v<Call, Array<T, Rank>&>;
  CAPTURE(name);
  CAPTURE(Rank);
  CHECK(is_there == !wanted.empty());
  if constexpr (is_there) {
    for (Array<T, Rank>& x : without_storage<T, Rank>()) CHECK(outcome([&] { return call(x); }) == wanted);
  }
}

template <class T, class Call>
void check(const std::string& name, const Wanted& wanted, const Call& call) {
  check_rank<T, 0>(name, wanted.scalar, call);
  check_rank<T, 1>(name, wanted.vector, call);
  check_rank<T, 2>(name, wanted.matrix, call);
}

}  // namespace support
