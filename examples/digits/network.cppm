module;
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
export module digits.network;
import tessera;

// A multilayer perceptron with ReLU, softmax cross-entropy and momentum, written as a user of the library writes it: every
// line over arrays is one fused pass, or a matrix product with the work around it.
namespace digits {

using namespace tessera;

/// How a step changes the weights: v = momentum * v - rate * (gradient + decay * w), w = w + v.
export struct StepRule {
  double learning_rate = 0.05;
  double momentum = 0.9;
  double decay = 1e-4;
};

/// Loss and hits of one batch.
export struct BatchResult {
  double loss = 0;           ///< mean cross-entropy, in nats
  std::int64_t correct = 0;  ///< images whose largest logit is their label's
};

/// Loss and hits of a batch that may still be computed.
export template <class T>
struct PendingResult {
  Array<T, 0> log_likelihood;  // sum over the images
  Array<std::int64_t, 0> correct;
  double count = 0;

  /// Waits for it.
  BatchResult get() const { return {.loss = -static_cast<double>(log_likelihood[{}]) / count, .correct = correct[{}]}; }
};

/// Seconds and calls of the kinds of work in a training run.
export struct WorkTimes {
  struct Kind {
    double seconds = 0;
    std::int64_t calls = 0;
  };
  Kind batches, forward, loss, backward, update;
};

/// What the names of velocities begin with; see Network::each_state.
export inline constexpr std::string_view momentum_prefix = "momentum.";

/// Adds the time of its own life to one kind of work.
export class Stopwatch {
 public:
  explicit Stopwatch(WorkTimes::Kind& kind) : kind_(kind), start_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    kind_.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
    ++kind_.calls;
  }

 private:
  using Clock = std::chrono::steady_clock;
  WorkTimes::Kind& kind_;
  Clock::time_point start_;
};

/// The labels (rank 1) as rows with a one in the column of each label.
export template <class T>
Array<T, 2> one_hot(const Array<std::int64_t, 1>& labels, int classes) {
  return cast<T>(labels(all, newaxis) == arange<std::int64_t>(classes)(newaxis, all));
}

/// Weights and activations are stored as T; momentum is kept in T's compute type, float for bfloat16.
export template <class T>
class Network {
 public:
  using State = compute_t<T>;

  /// Layers of the given widths, pixels first, classes last; weights are normal with variance 2 / inputs (He et al., 2015). All of it is
  /// on `place`; the weights are the same on every place, because the CPU makes them.
  Network(std::span<const std::int64_t> widths, random::Key key, Place place = CpuPlace{}) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      const Dim shape{widths[i], widths[i + 1]};
      const double scale = std::sqrt(2.0 / static_cast<double>(widths[i]));
      Layer layer;
      layer.w = Array<T, 2>(random::normal<T>(key.fold(i), shape) * scale).to(place);
      layer.b = zeros<T>(Dim{shape[1]}, place);
      layer.w_velocity = zeros<State>(shape, place);
      layer.b_velocity = zeros<State>(Dim{shape[1]}, place);
      layers_.push_back(layer);
    }
  }

  /// The logits of a batch: images in rows, one column a class. The arrays of a batch may be parameters of a recording, here and below.
  const Array<T, 2>& forward(auto& images) {
    // --8<-- [start:forward]
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const bool is_last = i + 1 == layers_.size();
      if (i == 0) {
        activate(layers_[i], images, is_last);
      } else {
        activate(layers_[i], layers_[i - 1].out, is_last);
      }
    }
    // --8<-- [end:forward]
    return layers_.back().out;
  }

  /// Cross-entropy of the last logits against one-hot targets; keeps its gradient for `backward`.
  BatchResult loss(const Array<T, 2>& targets, const Array<std::int64_t, 1>& labels) {
    PendingResult<State> result{.log_likelihood = Array<State, 0>(Dim{}, targets.place()),
                                .correct = Array<std::int64_t, 0>(Dim{}, targets.place())};
    result.count = static_cast<double>(labels.size());
    loss_into(result.log_likelihood, result.correct, targets, labels, result.count);
    return result.get();
  }

  /// The same into two arrays of rank 0; in an Async scope it is computed when its turn comes. The gradient is that of the mean over `count` images, of which
  /// these may be a part.
  void loss_into(auto& log_likelihood, auto& correct, const auto& targets, const auto& labels, double count) {
    Array<T, 2>& logits = layers_.back().out;
    if (delta_.has_storage() && delta_.shape() != logits.shape()) log_p_ = delta_ = Array<State, 2>();
    log_p_ = log_softmax<1>(cast<State>(logits));
    delta_ = (exp(log_p_) - targets) / count;
    log_likelihood = sum(log_p_ * targets);
    correct = sum(argmax<1>(logits) == labels);
  }

  /// Carries the gradient back through the layers and changes every weight as the rule says, with `rate` as its learning rate.
  void backward(const auto& images, const auto& rate, const StepRule& rule, WorkTimes& times) {
    // --8<-- [start:backward]
    Array<State, 2> delta = delta_;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      Layer& layer = layers_[i];
      if (i == 0) {
        const Stopwatch watch(times.update);
        update(layer, dot(images.T(), delta), sum<0>(delta), rate, rule);
        continue;
      }
      const Array<T, 2>& input = layers_[i - 1].out;
      Array<State, 2> below;
      {
        const Stopwatch watch(times.backward);
        below = where(input > 0, dot(delta, layer.w.T()), 0);
      }
      const Stopwatch watch(times.update);
      update(layer, dot(input.T(), delta), sum<0>(delta), rate, rule);
      delta = below;
    }
    // --8<-- [end:backward]
  }

  // --8<-- [start:gradients]
  /// As backward, but nothing changes yet: writes the gradient of each layer, the last one first, to `gradient_of(layer)`, an array of gradient_size(layer)
  /// elements, and calls `done(layer)` then.
  void gradients(const auto& images, const auto& gradient_of, const auto& done) {
    Array<State, 2> delta = delta_;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const Array<State, 1> gradient = gradient_of(i);
      if (i == 0) {
        assign(weights_in(gradient, i), dot(images.T(), delta));
      } else {
        assign(weights_in(gradient, i), dot(layers_[i - 1].out.T(), delta));
      }
      assign(biases_in(gradient, i), sum<0>(delta));
      done(i);
      if (i == 0) break;
      Array<State, 2> below = where(layers_[i - 1].out > 0, dot(delta, layers_[i].w.T()), 0);
      delta = below;
    }
  }

  /// Changes a layer as the rule says, by a gradient.
  void change(std::size_t layer, const Array<State, 1>& gradient, const auto& rate, const StepRule& rule) {
    update(layers_[layer], weights_in(gradient, layer), biases_in(gradient, layer), rate, rule);
  }
  // --8<-- [end:gradients]

  /// Weights and biases of a layer.
  std::ptrdiff_t gradient_size(std::size_t layer) const { return layers_[layer].w.size() + layers_[layer].b.size(); }

  /// One step of training on a batch.
  BatchResult step(const Array<T, 2>& images, const Array<T, 2>& targets, const Array<std::int64_t, 1>& labels,
                   const StepRule& rule, WorkTimes& times) {
    {
      const Stopwatch watch(times.forward);
      forward(images);
    }
    BatchResult result;
    {
      const Stopwatch watch(times.loss);
      result = loss(targets, labels);
    }
    backward(images, rule.learning_rate, rule, times);
    return result;
  }

  /// The same in an Async scope, into two arrays of rank 0: returns when all of it has been submitted, or recorded.
  void step_later(auto& log_likelihood, auto& correct, const auto& images, const auto& targets, const auto& labels,
                  const auto& rate, const StepRule& rule) {
    WorkTimes submission;
    forward(images);
    loss_into(log_likelihood, correct, targets, labels, static_cast<double>(images.shape()[0]));
    backward(images, rate, rule, submission);
  }

  /// Probabilities of the classes for the last logits.
  Array<State, 2> probabilities() const { return softmax<1>(cast<State>(layers_.back().out)); }

  // --8<-- [start:state]
  /// Calls `use` with name and array of all that one step hands to the next. Weights and biases have the names that
  /// torch.nn.Sequential(Linear, ReLU, Linear, ...) gives them, which counts the ReLUs.
  void each_state(const auto& use) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      Layer& layer = layers_[i];
      const std::string name = std::to_string(2 * i);
      use(name + ".weight", layer.w);
      use(name + ".bias", layer.b);
      use(std::string(momentum_prefix) + name + ".weight", layer.w_velocity);
      use(std::string(momentum_prefix) + name + ".bias", layer.b_velocity);
    }
  }
  // --8<-- [end:state]

  // --8<-- [start:kernel]
  /// The kernel that changes the weights of a layer on a GPU, as CUDA text: the line in update().
  std::string update_kernel(std::size_t number) const {
    const Layer& layer = layers_[number];
    return DeviceLaunch(layer.w, layer.w + layer.w_velocity).kernel();
  }
  // --8<-- [end:kernel]

  std::size_t depth() const { return layers_.size(); }
  const Array<T, 2>& weights(std::size_t layer) const { return layers_[layer].w; }
  const Array<T, 1>& biases(std::size_t layer) const { return layers_[layer].b; }

 private:
  struct Layer {
    Array<T, 2> w;
    Array<T, 1> b;
    Array<State, 2> w_velocity;
    Array<State, 1> b_velocity;
    Array<T, 2> out;  // activations of the last batch
  };

  // --8<-- [start:layer]
  static void activate(Layer& layer, auto& input, bool is_last) {
    if (layer.out.has_storage() && layer.out.shape()[0] != input.shape()[0]) layer.out = Array<T, 2>();
    if (is_last) {
      layer.out = dot(input, layer.w) + layer.b;
    } else {
      layer.out = relu(dot(input, layer.w) + layer.b);
    }
  }

  static void update(Layer& layer, const auto& w_gradient, const auto& b_gradient, const auto& rate,
                     const StepRule& rule) {
    layer.w_velocity = rule.momentum * layer.w_velocity - rate * (w_gradient + rule.decay * layer.w);
    layer.b_velocity = rule.momentum * layer.b_velocity - rate * b_gradient;
    layer.w += layer.w_velocity;
    layer.b += layer.b_velocity;
  }
  // --8<-- [end:layer]

  /// The parts of a flat gradient.
  Array<State, 2> weights_in(const Array<State, 1>& gradient, std::size_t layer) const {
    const Array<T, 2>& w = layers_[layer].w;
    return reshape(gradient(range(0, w.size())), w.shape());
  }
  Array<State, 1> biases_in(const Array<State, 1>& gradient, std::size_t layer) const {
    return gradient(range(layers_[layer].w.size(), gradient_size(layer)));
  }

  std::vector<Layer> layers_;
  Array<State, 2> log_p_;
  Array<State, 2> delta_;  // gradient of the loss with respect to the logits
};

}  // namespace digits
