module;
#include <cstddef>
export module tessera.algorithm:subscripts;
import tessera.standard;
import tessera.core;

// The strings of einsum, "ij,jk->ik", as labels of axes: at compile time where they are template arguments.
namespace tessera::contraction {

inline constexpr int most_operands = 8;
inline constexpr int most_labels = 16;  // of one operand, or of the result

/// Labels of axes: letters, and for the axes of an ellipsis numbers from 128 on, counted from the last one.
export struct Labels {
  std::array<unsigned char, most_labels> at{};
  int count = 0;

  constexpr void append(unsigned char label) {
    if (count < most_labels) at[static_cast<std::size_t>(count)] = label;
    ++count;
  }
  constexpr unsigned char operator[](int k) const { return at[static_cast<std::size_t>(k)]; }
  constexpr int find(unsigned char label) const {
    for (int k = 0; k < count; ++k) {
      if ((*this)[k] == label) return k;
    }
    return -1;
  }
  constexpr bool has(unsigned char label) const { return find(label) >= 0; }
};

/// What einsum contracts: labels of the operands and of the result.
export struct Subscripts {
  int operands = 0;
  std::array<Labels, most_operands> in{};
  Labels out;
  const char* problem = nullptr;  ///< what is wrong with the string,
  int position = 0;               ///< and at which of its characters
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads one string from left to right.
class SubscriptParser {
 public:
  constexpr SubscriptParser(std::string_view text, std::span<const int> ranks) : text_(text), ranks_(ranks) {}

  constexpr Subscripts parse() {
    found_.operands = static_cast<int>(ranks_.size());
    for (int number = 0; found_.problem == nullptr; ++number) {
      if (number == found_.operands) return fail("too many operands", at_);
      read_operand(number);
      if (found_.problem != nullptr) return found_;
      if (!skip(',')) {
        if (number + 1 < found_.operands) return fail("too few operands", at_);
        break;
      }
    }
    if (found_.problem != nullptr) return found_;
    if (text_.substr(at_).starts_with("->")) {
      at_ += 2;
      read_result();
      if (found_.problem == nullptr && at_ < text_.size()) return fail("no letter", at_);
    } else if (at_ < text_.size()) {
      return fail("no letter, comma or arrow", at_);
    } else {
      imply_result();
    }
    if (found_.problem == nullptr && found_.out.count > most_labels) return fail("too many axes in the result", at_);
    return found_;
  }

 private:
  constexpr Subscripts fail(const char* problem, std::size_t position) {
    found_.problem = problem;
    found_.position = static_cast<int>(position);
    return found_;
  }

  constexpr void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  constexpr bool skip(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Letters up to what is none; the number of letters before an ellipsis, or -1 without one.
  constexpr int read_labels(Labels& labels) {
    int before = -1;
    for (skip_spaces(); at_ < text_.size(); skip_spaces()) {
      if (is_letter(text_[at_])) {
        labels.append(static_cast<unsigned char>(text_[at_++]));
      } else if (text_.substr(at_).starts_with("...")) {
        if (before >= 0) {
          fail("a second ellipsis", at_);
          return before;
        }
        before = labels.count;
        at_ += 3;
      } else {
        break;
      }
    }
    return before;
  }

  /// Puts labels for `count` axes of an ellipsis behind the first `before` ones.
  static constexpr Labels with_ellipsis(const Labels& letters, int before, int count) {
    Labels all;
    for (int k = 0; k < before; ++k) all.append(letters[k]);
    for (int k = count; k-- > 0;) all.append(static_cast<unsigned char>(128 + k));
    for (int k = before; k < letters.count; ++k) all.append(letters[k]);
    return all;
  }

  constexpr void read_operand(int number) {
    const std::size_t start = at_;
    const int rank = ranks_[static_cast<std::size_t>(number)];
    Labels labels;
    const int before = read_labels(labels);
    if (found_.problem != nullptr) return;
    if (labels.count > rank) {
      fail("more letters than axes", start);
    } else if (before < 0 && labels.count < rank) {
      fail("fewer letters than axes", start);
    } else if (rank > most_labels) {
      fail("too many axes", start);
    } else {
      if (before >= 0) ellipsis_ = std::max(ellipsis_, rank - labels.count);
      has_ellipsis_ = has_ellipsis_ || before >= 0;
      found_.in[static_cast<std::size_t>(number)] =
          before < 0 ? labels : with_ellipsis(labels, before, rank - labels.count);
    }
  }

  constexpr bool is_in_operands(unsigned char label) const {
    for (int number = 0; number < found_.operands; ++number) {
      if (found_.in[static_cast<std::size_t>(number)].has(label)) return true;
    }
    return false;
  }

  constexpr void read_result() {
    const std::size_t start = at_;
    Labels labels;
    const int before = read_labels(labels);
    if (found_.problem != nullptr) return;
    if (before < 0 && has_ellipsis_) {
      fail("no ellipsis in the result", start);
      return;
    }
    for (int k = 0; k < labels.count; ++k) {
      const std::size_t position = position_of(static_cast<char>(labels[k]), start);
      if (!is_in_operands(labels[k])) fail("no operand has this letter", position);
      for (int earlier = 0; earlier < k; ++earlier) {
        if (labels[earlier] == labels[k]) fail("a letter twice in the result", text_.rfind(text_[position]));
      }
    }
    found_.out = before < 0 ? labels : with_ellipsis(labels, before, ellipsis_);
  }

  constexpr std::size_t position_of(char letter, std::size_t start) const {
    const std::size_t found = text_.find(letter, start);
    return found == std::string_view::npos ? start : found;
  }

  /// The axes of an ellipsis, then the letters that are there once, in the order of the alphabet.
  constexpr void imply_result() {
    found_.out = with_ellipsis({}, 0, ellipsis_);
    for (int letter = 'A'; letter <= 'z'; ++letter) {
      int times = 0;
      for (int number = 0; number < found_.operands; ++number) {
        const Labels& labels = found_.in[static_cast<std::size_t>(number)];
        for (int k = 0; k < labels.count; ++k) times += labels[k] == letter ? 1 : 0;
      }
      if (times == 1) found_.out.append(static_cast<unsigned char>(letter));
    }
  }

  std::string_view text_;
  std::span<const int> ranks_;
  std::size_t at_ = 0;
  int ellipsis_ = 0;  // axes of the longest one
  bool has_ellipsis_ = false;
  Subscripts found_;
};

/// The labels that a string gives to operands of so many axes; `problem` says what is wrong with it.
export constexpr Subscripts parse(std::string_view text, std::span<const int> ranks) {
  return SubscriptParser(text, ranks).parse();
}

}  // namespace tessera::contraction
